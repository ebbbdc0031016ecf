import { type BookId, uuidOf } from "../../../contracts/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";

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
