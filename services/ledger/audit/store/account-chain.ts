import type { Sql } from "../../../platform/persistence/sql.ts";

/** The chain of a book's accounts up to one of them; null before the first. */
export interface AccountsHead {
  readonly accounts: number;
  readonly accountsHead: string;
}

export async function readAccountsHead(sql: Sql, bookUuid: string): Promise<AccountsHead | null> {
  const [row] = await sql<{ position: number; head: string }>(
    `select position, encode(head_hash, 'hex') as head
     from account_chain
     where book_id = $1
     order by position desc
     limit 1`,
    [bookUuid],
  );
  return row === undefined ? null : { accounts: row.position, accountsHead: row.head };
}
