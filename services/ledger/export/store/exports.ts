import { type BookId, type Mode, uuidOf } from "../../../../contracts/ids/ids.ts";
import { belowAllUuids } from "../../../platform/persistence/page.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { AccountClass, Counters, Side } from "../../book/account.ts";
import { type CounterColumns, countersOf } from "../../posting/store/accounts.ts";

export interface ExportedBalance {
  readonly account_id: string;
  readonly name: string;
  readonly class: AccountClass;
  readonly normal_balance: Side;
  readonly currency: string;
  /** In the chain of the book's accounts. */
  readonly position: number | null;
  readonly version: bigint;
  readonly last_seq: bigint;
  readonly counters: Counters;
}

const accountBatchSize = 5_000;

export async function modeOfBook(sql: Sql, book: BookId): Promise<Mode> {
  const [row] = await sql<{ mode: Mode }>("select mode from book where book_id = $1", [uuidOf(book)]);
  if (row === undefined) throw new TypeError(`${book} has a head but no row`);
  return row.mode;
}

/** All accounts of a book with their balances, by their stored ids, a page at a time. */
export async function* balancePages(sql: Sql, book: BookId): AsyncGenerator<ExportedBalance[]> {
  let after = belowAllUuids;
  for (;;) {
    const rows: (Omit<ExportedBalance, "counters"> & CounterColumns)[] = await sql(
      `select a.account_id, a.name, a.class, a.normal_balance, a.currency, c.position, b.*
       from account a
       cross join lateral (
         select x.version, x.last_seq, x.held_debit, x.held_credit, x.released_debit, x.released_credit,
           x.posted_debit, x.posted_credit
         from account_balance x
         where x.book_id = a.book_id and x.account_id = a.account_id
         offset 0
       ) b
       left join lateral (
         select x.position from account_chain x where x.account_id = a.account_id and x.book_id = a.book_id offset 0
       ) c on true
       where a.book_id = $1
         and a.account_id > $2
       order by a.account_id
       limit $3`,
      [uuidOf(book), after, accountBatchSize],
    );
    yield rows.map((row) => ({ ...row, counters: countersOf(row) }));
    after = rows.at(-1)?.account_id ?? after;
    if (rows.length < accountBatchSize) return;
  }
}
