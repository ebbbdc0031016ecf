import { type BookId, idOf, uuidOf } from "../../../../contracts/ids/ids.ts";
import { arrayLiteral } from "../../../platform/persistence/array-literal.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { Calendar } from "../../book/book-state.ts";

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

/** Closes a book's periods up to an instant. The head must be locked. Idempotent: the first reason is kept. */
export async function closePeriod(sql: Sql, book: BookId, through: Date, reason: string): Promise<void> {
  await sql(
    `insert into closed_period (book_id, closed_through, reason)
     values ($1, $2, $3)
     on conflict on constraint closed_period_pk do nothing`,
    [uuidOf(book), through.toISOString(), reason],
  );
}
