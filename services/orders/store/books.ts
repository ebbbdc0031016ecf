import { type BookId, uuidOf } from "../../../contracts/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";

/** Which of these books the operator has suspended. */
export async function suspendedAmong(sql: Sql, books: readonly BookId[]): Promise<ReadonlySet<BookId>> {
  const distinct = [...new Set(books)];
  const rows = await sql<{ book_id: string }>(
    "select book_id from suspended_book where book_id = any ($1::uuid[])",
    [distinct.map(uuidOf)],
  );
  const suspended = new Set(rows.map((row) => row.book_id));
  return new Set(distinct.filter((book) => suspended.has(uuidOf(book))));
}

export async function setSuspended(sql: Sql, book: BookId, suspended: boolean): Promise<void> {
  if (suspended)
    await sql("insert into suspended_book (book_id) values ($1) on conflict do nothing", [uuidOf(book)]);
  else await sql("delete from suspended_book where book_id = $1", [uuidOf(book)]);
}
