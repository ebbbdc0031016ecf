import { type BookId, uuidOf } from "../../../contracts/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";

/** Which of these books the operator has suspended. */
export async function suspendedAmong(sql: Sql, books: readonly BookId[]): Promise<ReadonlySet<BookId>> {
  const distinct = [...new Set(books)];
  const rows = await sql<{ book_id: string }>(
    "select book_id from book_status where not active and book_id = any ($1::uuid[])",
    [distinct.map(uuidOf)],
  );
  const suspended = new Set(rows.map((row) => row.book_id));
  return new Set(distinct.filter((book) => suspended.has(uuidOf(book))));
}

/** Notes what the operator said of a book at `saidAt`; what was said before that is overtaken. */
export async function noteStatus(sql: Sql, book: BookId, active: boolean, saidAt: string): Promise<void> {
  await sql(
    `insert into book_status (book_id, active, since)
     values ($1, $2, $3)
     on conflict on constraint book_status_pkey do update
       set active = excluded.active,
           since = excluded.since
       where book_status.since < excluded.since`,
    [uuidOf(book), active, saidAt],
  );
}
