import { type BookId, idOf, uuidOf } from "../../../../contracts/ids/ids.ts";
import { type Rail, rails } from "../../../../contracts/rails/rails.ts";
import { timeInSql } from "../../../platform/clock/book-clocks.ts";
import { realTime } from "../../../platform/clock/real-time.ts";
import { belowAllUuids } from "../../../platform/persistence/page.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/**
 * What has changed about a book, and so what is done with its payments.
 * - OutageEnd: outages have ended. What they withheld goes to its rail, and what they silenced goes on.
 * - FirstClock: the book has a clock of its own for the first time. What waits moves over to it from real time.
 * - InstantClock: its clock is Instant. No payment waits for a settlement time or the end of a return window.
 */
export type RecheckKind = "OutageEnd" | "FirstClock" | "InstantClock";

const kinds: readonly RecheckKind[] = ["OutageEnd", "FirstClock", "InstantClock"];

export interface Recheck {
  readonly book: BookId;
  readonly kind: RecheckKind;
}

/** A payment's place in the order of the hand-offs. */
export interface HandOffPlace {
  readonly causeId: string;
  readonly orderId: string;
}

export const beforeAllHandOffs: HandOffPlace = { causeId: belowAllUuids, orderId: belowAllUuids };

/** Returns false if another instance goes through payments of the book. Locks until the end of the transaction. */
export async function tryLockRechecks(sql: Sql, book: BookId): Promise<boolean> {
  const [row] = await sql<{ locked: boolean }>(
    "select pg_try_advisory_xact_lock(hashtextextended('rechecks/' || $1::uuid, 0)) as locked",
    [uuidOf(book)],
  );
  return row?.locked === true;
}

/** Takes a recheck out of the table, and returns how far it has come; undefined if it is not there. */
export async function takeRecheck(sql: Sql, { book, kind }: Recheck): Promise<HandOffPlace | undefined> {
  const [row] = await sql<{ after_cause_id: string; after_order_id: string }>(
    `delete from payment_recheck
     where kind = $1
       and book_id = $2
     returning after_cause_id, after_order_id`,
    [kind, uuidOf(book)],
  );
  return row === undefined ? undefined : { causeId: row.after_cause_id, orderId: row.after_order_id };
}

/** Stores that the payments after this one are still to come. Call `takeRecheck` first. */
export async function saveRecheck(sql: Sql, { book, kind }: Recheck, after: HandOffPlace): Promise<void> {
  await sql(
    `insert into payment_recheck (kind, book_id, after_cause_id, after_order_id)
     values ($1, $2, $3, $4)`,
    [kind, uuidOf(book), after.causeId, after.orderId],
  );
}

/** What is still to be done, at most `limit`, by book; none of the books `except`. */
export async function readRechecks(
  sql: Sql,
  { limit, except }: { readonly limit: number; readonly except: readonly BookId[] },
): Promise<Recheck[]> {
  const rows = await sql<{ book_id: string; kind: RecheckKind }>(
    `select book_id, kind
     from payment_recheck
     where kind = any ($2::text[])
       and book_id <> all ($3::uuid[])
     order by book_id, kind
     limit $1`,
    [limit, kinds, except.map(uuidOf)],
  );
  return rows.map(({ book_id, kind }) => ({ book: idOf("book", book_id), kind }));
}

/** The time in the book while payments of it are still to be gone through: they are due now. Else null. */
export async function recheckIsDueAt(sql: Sql, book: BookId): Promise<Date | null> {
  const [row] = await sql<{ due_at: Date }>(
    `select ${timeInSql("b", "$3")} as due_at
     from payment_recheck r
     join book_clock b on b.book_id = r.book_id
     where r.kind = any ($1::text[])
       and r.book_id = $2
     limit 1`,
    [kinds, uuidOf(book), realTime()],
  );
  return row?.due_at ?? null;
}

/** Returns a test of whether a rail of one of these books has still to get what an ended outage withheld. */
export async function readIsCatchingUp(
  sql: Sql,
  books: readonly BookId[],
): Promise<(book: BookId, rail: Rail) => boolean> {
  if (books.length === 0) return () => false;
  const rows = await sql<{ book_id: string; rail: Rail }>(
    `select r.book_id, w.rail
     from payment_recheck r
     cross join unnest($2::text[]) w (rail)
     where r.kind = 'OutageEnd'
       and r.book_id = any ($1::uuid[])
       and exists (
         select from undelivered_instruction u
         where u.book_id = r.book_id
           and u.kind = 'Held'
           and u.submission #>> '{data,rail}' = w.rail
       )`,
    [[...new Set(books)].map(uuidOf), rails],
  );
  const catchingUp = new Set(rows.map(({ book_id: book, rail }) => `${idOf("book", book)} ${rail}`));
  return (book, rail) => catchingUp.has(`${book} ${rail}`);
}
