import { type BookId, idOf, type LedgerAccountId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { Account, AccountClass, Counters, Side } from "../../book/account.ts";
import { idArray } from "../../../platform/persistence/uuid-array.ts";

/** The columns of the six counters; every table that has counters uses these names. */
export interface CounterColumns {
  held_debit: bigint;
  held_credit: bigint;
  released_debit: bigint;
  released_credit: bigint;
  posted_debit: bigint;
  posted_credit: bigint;
}

/** The same over several accounts: numeric, because such a sum may exceed 64 bits. The driver returns text. */
export type SumColumns = { [K in keyof CounterColumns]: string };

export function countersOfSums(row: SumColumns): Counters {
  return {
    heldDebit: BigInt(row.held_debit),
    heldCredit: BigInt(row.held_credit),
    releasedDebit: BigInt(row.released_debit),
    releasedCredit: BigInt(row.released_credit),
    postedDebit: BigInt(row.posted_debit),
    postedCredit: BigInt(row.posted_credit),
  };
}

export function countersOf(row: CounterColumns): Counters {
  return {
    heldDebit: row.held_debit,
    heldCredit: row.held_credit,
    releasedDebit: row.released_debit,
    releasedCredit: row.released_credit,
    postedDebit: row.posted_debit,
    postedCredit: row.posted_credit,
  };
}

interface AccountRow extends CounterColumns {
  book_id: string;
  account_id: string;
  name: string;
  currency: string;
  normal_balance: Side;
  class: AccountClass;
  overdraft: "Allowed" | "Refused";
  closed: boolean;
  version: bigint;
}

/** Accounts with their balances, by key; accounts that do not exist are left out. */
export async function readAccounts(
  sql: Sql,
  keys: readonly { readonly book: BookId; readonly id: LedgerAccountId }[],
): Promise<{ book: BookId; account: Account }[]> {
  if (keys.length === 0) return [];
  const rows = await sql<AccountRow>(
    `select u.book_id, u.account_id, a.name, a.currency, a.normal_balance, a.class, a.overdraft,
       a.closed_at is not null as closed, b.version,
       b.held_debit, b.held_credit, b.released_debit, b.released_credit, b.posted_debit, b.posted_credit
     from unnest($1::uuid[], $2::uuid[]) as u (book_id, account_id)
     cross join lateral (
       select * from account x where x.book_id = u.book_id and x.account_id = u.account_id offset 0
     ) a
     cross join lateral (
       select * from account_balance x where x.book_id = u.book_id and x.account_id = u.account_id offset 0
     ) b`,
    [idArray(keys.map(({ book }) => book)), idArray(keys.map(({ id }) => id))],
  );
  return rows.map((row) => ({
    book: idOf("book", row.book_id),
    account: {
      id: idOf("la", row.account_id),
      name: row.name,
      currency: row.currency,
      normalBalance: row.normal_balance,
      class: row.class,
      overdraft: row.overdraft,
      closed: row.closed,
      version: Number(row.version),
      counters: countersOf(row),
    },
  }));
}

/** Creates an obligation's liability account; false if the book already has an account of that name. */
export async function insertLiability(
  sql: Sql,
  book: BookId,
  account: { readonly id: LedgerAccountId; readonly name: string; readonly currency: string },
): Promise<boolean> {
  const inserted = await sql(
    `insert into account (book_id, account_id, name, currency, normal_balance, class, overdraft)
     values ($1, $2, $3, $4, 'Credit', 'ObligationLiability', 'Allowed')
     on conflict do nothing
     returning 1`,
    [uuidOf(book), uuidOf(account.id), account.name, account.currency],
  );
  return inserted.length > 0;
}
