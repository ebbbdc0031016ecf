import type { Sql } from "../../../platform/persistence/sql.ts";

/** How many pending transactions and proposed assignments a book has, counted up to `most`. */
export async function countProposals(sql: Sql, book: string, most: number): Promise<number> {
  const [row] = await sql<{ count: number }>(
    `select count(*)::int as count
     from (
       (select from pending_transaction p where p.book_id = $1 limit $2)
       union all
       (select from inbound_payment p
        where p.book_id = $1
          and p.status = 'Suspended'
          and p.proposed_by is not null
        limit $2)
       limit $2
     ) waiting`,
    [book, most],
  );
  return row?.count ?? 0;
}
