import { type BookId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** When the next step of a payment is due in a book with a clock, on that clock. */
export async function nextStepDueAt(sql: Sql, book: BookId): Promise<Date | null> {
  const [row] = await sql<{ due_at: Date | null }>(
    `select min(next_due_at) as due_at
     from instruction
     where book_id = $1
       and on_book_clock`,
    [uuidOf(book)],
  );
  return row?.due_at ?? null;
}
