import type { AnyMessage } from "../../../contracts/message.ts";
import type { Database } from "../persistence/database.ts";
import type { Sql } from "../persistence/sql.ts";
import { uuidArray } from "../persistence/uuid-array.ts";

/** Records messages as handled and returns the new ones, in their order. */
export async function deduplicate(sql: Sql, messages: readonly AnyMessage[]): Promise<AnyMessage[]> {
  const rows = await sql<{ message_id: string }>(
    `insert into inbox (message_id)
     select distinct id from unnest($1::uuid[]) as u (id) order by id
     on conflict do nothing
     returning message_id`,
    [uuidArray(messages.map((message) => message.id))],
  );
  const fresh = new Set(rows.map((row) => row.message_id));
  // delete() returns true once, so a message that comes twice in one batch is returned once.
  return messages.filter((message) => fresh.delete(message.id));
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
