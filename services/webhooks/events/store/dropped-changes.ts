import { lowestUuidAt } from "../../../../contracts/ids/ids.ts";
import { isSuffix, uuidOfSuffix } from "../../../../contracts/ids/typeid.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { uuidArray } from "../../../platform/persistence/uuid-array.ts";
import type { EventRow } from "./events.ts";

/** The shortest time that a setting can keep events. */
export const minEventsKeptDays = 1;
const dayMs = 86_400_000;

/**
 * Leaves out events that report a change whose event was deleted when its time was over: a repeat makes no second
 * event. Reads nothing for objects of the last day: none of their events can have been deleted.
 *
 * Waits until a deletion of events of the same books is committed: else this would not see the change yet, and the
 * insert would not find the event any more.
 */
export async function withoutDropped<Event extends EventRow>(
  sql: Sql,
  events: readonly Event[],
  now: Date,
): Promise<readonly Event[]> {
  const newest = lowestUuidAt(new Date(now.getTime() - minEventsKeptDays * dayMs));
  const old = events.filter(({ objectId }) => !wasMadeSince(newest, objectId));
  if (old.length === 0) return events;
  const books = [...new Set(old.map(({ book }) => book))].sort();
  await sql(
    `select ${lock("pg_advisory_xact_lock_shared", "book_id")} from unnest($1::uuid[]) as b (book_id)`,
    [uuidArray(books)],
  );
  const dropped = await sql<{ index: number }>(
    `select e.index::int - 1 as index
     from unnest($1::uuid[], $2::text[], $3::int[], $4::text[]) with ordinality
       as e (book_id, object_id, sequence, change_key, index)
     join dropped_change using (book_id, object_id, sequence, change_key)`,
    [
      uuidArray(old.map(({ book }) => book)),
      old.map(({ objectId }) => objectId),
      old.map(({ sequence }) => sequence),
      old.map(({ changeKey }) => changeKey),
    ],
  );
  const repeated = new Set(dropped.map(({ index }) => old[index]));
  return events.filter((event) => !repeated.has(event));
}

/** Until the transaction ends, no event of the book is deleted. Waits until a deletion is committed. */
export async function lockAgainstDeletion(sql: Sql, book: string): Promise<void> {
  await sql(`select ${lock("pg_advisory_xact_lock_shared", "$1::uuid")}`, [book]);
}

/** Call it before events of the book are deleted: it waits for those who need them, or read its dropped changes. */
export async function lockDroppedChanges(sql: Sql, book: string): Promise<void> {
  await sql(`select ${lock("pg_advisory_xact_lock", "$1::uuid")}`, [book]);
}

const lock = (take: string, book: string) =>
  `${take}(hashtextextended('dropped-changes/' || ${book}::text, 0))`;

/** False also for an id that does not tell its time: one that is derived, or no TypeID. */
function wasMadeSince(lowestUuid: string, objectId: string): boolean {
  const suffix = objectId.slice(objectId.indexOf("_") + 1);
  if (!isSuffix(suffix)) return false;
  const uuid = uuidOfSuffix(suffix);
  return uuid.charAt(14) === "7" && uuid >= lowestUuid;
}
