import { type BookId, uuidOf } from "../../../../contracts/ids/ids.ts";
import { recheckIsDueAt } from "../../rechecks/store/rechecks.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** When the next order of a book is due on the book's clock: at once while more are being made due. */
export async function nextDueInBook(sql: Sql, book: BookId, realNow: Date): Promise<Date | null> {
  const [row] = await sql<{ due_at: Date | null }>(
    `select least(
       (${recheckIsDueAt}),
       (select due_at_in_book
        from payment_order
        where book_id = $1
          and due_at_in_book is not null
        order by due_at_in_book
        limit 1)
     ) as due_at`,
    [uuidOf(book), realNow],
  );
  return row?.due_at ?? null;
}
