import { type BookId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/**
 * The SHA-256 of a line for each entry of the book, and how many there are. A line has the name of the account, the
 * kind of the journal, the layer, the role, the direction and the amount. Lines are sorted byte by byte and end with a
 * line feed: neither the order of the journals nor any id counts.
 */
export async function digestEntryLines(sql: Sql, book: BookId): Promise<{ digest: string; count: number }> {
  const [row] = await sql<{ digest: string; count: number }>(
    `with line as (
       select concat_ws('|', a.name, j.kind, e.layer, e.role, e.direction, e.amount_cents) as text
       from entry e
       join journal j on j.book_id = e.book_id and j.seq = e.seq
       join account a on a.book_id = e.book_id and a.account_id = e.account_id
       where e.book_id = $1
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
