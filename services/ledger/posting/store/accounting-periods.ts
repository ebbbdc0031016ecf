import { type BookId, idOf, uuidOf } from "../../../../contracts/ids/ids.ts";
import { arrayLiteral } from "../../../platform/persistence/array-literal.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { Calendar } from "../../book/book-state.ts";
import { lockHeads } from "./lock-books.ts";

/** The bounds for the dates of manual movements. The heads must be locked, so no period closes before the commit. */
export async function readCalendars(sql: Sql, books: readonly BookId[]): Promise<Map<BookId, Calendar>> {
  if (books.length === 0) return new Map();
  const rows = await sql<{ book_id: string; began: Date; closed_through: Date | null }>(
    `select b.book_id, b.created_at as began,
       (select max(p.closed_through) from closed_period p where p.book_id = b.book_id) as closed_through
     from book b
     where b.book_id = any($1::uuid[])`,
    [arrayLiteral(books.map(uuidOf))],
  );
  return new Map(
    rows.map((row) => [idOf("book", row.book_id), { began: row.began, closedThrough: row.closed_through }]),
  );
}

export interface PeriodClosing {
  readonly book: BookId;
  readonly through: Date;
  readonly reason: string;
}

/**
 * Closes periods under the heads' locks, so that no manual posting is decided at the same time against an earlier one.
 * Call it last: who posts to these books waits until the commit.
 */
export async function closePeriods(sql: Sql, closings: readonly PeriodClosing[]): Promise<void> {
  if (closings.length === 0) return;
  await lockHeads(sql, [...new Set(closings.map(({ book }) => book))]);
  for (const { book, through, reason } of closings) await closePeriod(sql, book, through, reason);
}

/** Closes a book's periods up to an instant. The head must be locked. Idempotent: the first reason is kept. */
export async function closePeriod(sql: Sql, book: BookId, through: Date, reason: string): Promise<void> {
  await sql(
    `insert into closed_period (book_id, closed_through, reason)
     values ($1, $2, $3)
     on conflict on constraint closed_period_pk do nothing`,
    [uuidOf(book), through.toISOString(), reason],
  );
}
