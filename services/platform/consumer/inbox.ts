import type { AnyMessage } from "../../../contracts/message.ts";
import type { Database } from "../persistence/database.ts";
import type { Sql } from "../persistence/sql.ts";
import { uuidArray } from "../persistence/uuid-array.ts";

/**
 * Records messages in the inbox, and returns those that were not handled before, in their order. Only messages that may
 * repeat (`mayRepeat`), and those of a book with its own clock, are recorded: an advance of that clock looks for them.
 * The others are taken for new, which saves a row per message. No effect relies on the inbox, because each is unique by
 * a key of its own: the inbox saves work when messages come again.
 */
export async function deduplicate(
  sql: Sql,
  messages: readonly AnyMessage[],
  mayRepeat: (message: AnyMessage) => boolean,
): Promise<AnyMessage[]> {
  const distinct = [...new Map(messages.map((message) => [message.id, message])).values()];
  const isRecorded = (message: AnyMessage) => message.bookclock === true || mayRepeat(message);
  const doubtful = distinct.filter(isRecorded);
  if (doubtful.length === 0) return distinct;
  const rows = await sql<{ message_id: string }>(
    `insert into inbox (message_id)
     select id from unnest($1::uuid[]) as u (id) order by id
     on conflict do nothing
     returning message_id`,
    [uuidArray(doubtful.map((message) => message.id))],
  );
  const fresh = new Set(rows.map((row) => row.message_id));
  return distinct.filter((message) => !isRecorded(message) || fresh.has(message.id));
}

/** Those of the messages that this service has handled. One that was set aside with its book is not. */
export async function readHandled(sql: Sql, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await sql<{ message_id: string }>(
    `select message_id
     from inbox i
     where message_id = any ($1::uuid[])
       and not exists (select from set_aside_message s where s.message_id = i.message_id)`,
    [uuidArray(ids)],
  );
  return rows.map((row) => row.message_id);
}

/** Counts a failure of a message alone and returns the new count. The write proves that the database is healthy. */
export async function countFailure(database: Database, message: AnyMessage, reason: string): Promise<number> {
  const [row] = await database.sql<{ failures: number }>(
    `insert into failed_message (message_id, type, failures, last_error)
     values ($1, $2, 1, $3)
     on conflict on constraint failed_message_pkey do update
       set failures = failed_message.failures + 1,
           last_error = excluded.last_error,
           last_failed_at = now()
     returning failures`,
    [message.id, message.type, reason.slice(0, 2_000)],
  );
  return row?.failures ?? 1;
}

/** Records a dead-lettered message as handled, so that its next delivery is a repeat. Redriving undoes that. */
export async function closeDeadLetter(database: Database, message: AnyMessage): Promise<void> {
  await database.transaction(async ({ sql }) => {
    await sql("insert into inbox (message_id) values ($1) on conflict do nothing", [message.id]);
    await sql("update failed_message set dead_lettered_at = now() where message_id = $1", [message.id]);
  });
}
