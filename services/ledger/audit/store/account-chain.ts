import type { BookHeads } from "../../../../contracts/messages/books.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** The head of the chain of a book's accounts; null before the first. */
export async function readAccountsHead(
  sql: Sql,
  bookUuid: string,
): Promise<Pick<BookHeads, "accounts" | "accountsHead"> | null> {
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

/**
 * Accounts that are not as they were made, and the first position of the chain after one that was removed. Computes
 * every head again from the head before.
 */
export const changedAccounts = `
  select format('account %s, position %s', coalesce(a.account_id, c.account_id), c.position) as violation
  from (
    select x.position, x.account_id, x.head_hash, lag(x.position, 1, 0) over chain as position_before,
      coalesce(lag(x.head_hash) over chain, sha256(convert_to('quittance.ledger.accounts.v1' || chr(10) || x.book_id, 'UTF8')))
        as head_before
    from account_chain x
    where x.book_id = $1
    window chain as (order by x.position)
  ) c
  full join (select * from account x where x.book_id = $1) a on a.account_id = c.account_id
  where c.position is distinct from c.position_before + 1
    or a.account_id is null
    or c.head_hash is distinct from sha256(c.head_before || sha256(convert_to(
      'quittance.ledger.account.v1' || chr(10) || a.book_id || chr(10) || c.position || chr(10) || a.account_id || chr(10)
      || a.currency || chr(10) || a.normal_balance || chr(10) || a.class || chr(10) || a.name, 'UTF8')))`;
