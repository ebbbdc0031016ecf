import { type BookId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** The end of the book's last closed period; null before the first. Nothing manual takes effect at or before it. */
export async function closedThrough(sql: Sql, book: BookId): Promise<Date | null> {
  const [row] = await sql<{ closed_through: Date }>(
    `select closed_through
     from closed_period
     where book_id = $1
     order by closed_through desc
     limit 1`,
    [uuidOf(book)],
  );
  return row?.closed_through ?? null;
}

/** Closes a book's periods up to an instant; one that is closed already stays as it was said. The head is locked. */
export async function closePeriod(sql: Sql, book: BookId, through: Date, reason: string): Promise<void> {
  await sql(
    `insert into closed_period (book_id, closed_through, reason)
     values ($1, $2, $3)
     on conflict on constraint closed_period_pk do nothing`,
    [uuidOf(book), through.toISOString(), reason],
  );
}
