import { type BookId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/**
 * The SHA-256 of a line for each order of the book, and how many there are. A line has the order's external id, or its
 * ordinal in the book if it has none; its rail, direction and amount; its status; the codes of its failure and its
 * return; and whether the return was late. Lines are sorted byte by byte and end with a line feed.
 */
export async function digestOutcomes(sql: Sql, book: BookId): Promise<{ digest: string; count: number }> {
  const [row] = await sql<{ digest: string; count: number }>(
    `with line as (
       select concat_ws('|', coalesce(external_id, '#' || row_number() over (order by id)), rail, direction, amount_cents,
         status, coalesce(progress #>> '{ending,failure,code}', '-'), coalesce(progress #>> '{rail,return,code}', '-'),
         coalesce(progress #>> '{rail,return,late}', '-')) as text
       from payment_order
       where book_id = $1
         and sequence >= 0
     )
     select encode(sha256(convert_to(coalesce(string_agg(text || e'\\n', '' order by text collate "C"), ''), 'UTF8')), 'hex')
         as digest,
       count(*)::int as count
     from line`,
    [uuidOf(book)],
  );
  if (row === undefined) throw new Error("a digest has one row");
  return row;
}
