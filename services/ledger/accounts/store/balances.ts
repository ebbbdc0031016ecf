import { aboveAllUuids } from "../../../platform/persistence/page.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { AccountClass, Side } from "../../book/account.ts";
import { uuid7UpperBound, type AsOf } from "../../book/as-of.ts";
import type { ClassTotal } from "../../book/accounting-equation.ts";
import { type CounterColumns, countersOf } from "../../posting/store/accounts.ts";
import { type AsOfSql, asOfSql } from "../../posting/store/as-of.ts";

export type BalanceRow = CounterColumns & {
  account_id: string;
  name: string;
  currency: "USD";
  normal_balance: Side;
};
type TotalRow = CounterColumns & { class: AccountClass; normal_balance: Side; currency: string };

export interface BalancePage {
  readonly asOf: Date;
  readonly accounts: readonly BalanceRow[];
  readonly totals: readonly ClassTotal[];
}

/** JSON has no bigint, so Postgres returns counters as text. */
type InJson<T> = { [K in keyof T]: T[K] extends bigint ? string : T[K] };

const counterTexts = (table: string) =>
  ["held_debit", "held_credit", "released_debit", "released_credit", "posted_debit", "posted_credit"]
    .map((counter) => `${table}.${counter}::text`)
    .join(", ");

const now: AsOfSql = {
  balance: `cross join lateral (
    select * from account_balance x where x.book_id = a.book_id and x.account_id = a.account_id offset 0
  ) b`,
  classes: "class_total c where c.book_id = $1",
  opened: "",
  params: [],
};

/**
 * A page of the tenant's balances (newest account first, `limit + 1`), now or at a moment, with the totals of every
 * class. It is one statement, so one snapshot, and sums only some ten class totals. `asOf` in the result is the time of
 * the read.
 */
export async function readBalances(
  sql: Sql,
  book: string,
  page: { readonly after: string | null; readonly limit: number },
  moment: AsOf | null = null,
): Promise<BalancePage> {
  const { balance, classes, opened, params } = moment === null ? now : asOfSql(moment, "$4");
  const [row] = await sql<{ as_of: Date; accounts: InJson<BalanceRow>[]; totals: InJson<TotalRow>[] }>(
    `select statement_timestamp() as as_of,
       (select coalesce(jsonb_agg(p order by p.account_id desc), '[]')
        from (
          select a.account_id, a.name, a.currency, a.normal_balance, ${counterTexts("b")}
          from account a
          ${balance}
          where a.book_id = $1
            and a.class = 'Tenant'
            and a.account_id < $2
            ${opened}
          order by a.account_id desc
          limit $3
        ) p) as accounts,
       (select coalesce(jsonb_agg(t), '[]')
        from (
          select c.class, c.normal_balance, c.currency, ${counterTexts("c")}
          from ${classes}
        ) t) as totals`,
    [book, startOf(page.after, moment), page.limit + 1, ...params],
  );
  if (row === undefined) throw new TypeError("a select without a table gives one row");
  return {
    asOf: row.as_of,
    accounts: row.accounts.map((account) => ({ ...account, ...withBigints(account) })),
    totals: row.totals.map((total) => ({
      class: total.class,
      normalBalance: total.normal_balance,
      currency: total.currency,
      counters: countersOf(withBigints(total)),
    })),
  };
}

/** The page's upper bound: it lists accounts with a lower id, newest first. */
function startOf(after: string | null, moment: AsOf | null): string {
  const newest = moment?.kind === "Recorded" ? uuid7UpperBound(moment.asOfMs) : aboveAllUuids;
  return after === null || after > newest ? newest : after;
}

function withBigints(row: InJson<CounterColumns>): CounterColumns {
  return {
    held_debit: BigInt(row.held_debit),
    held_credit: BigInt(row.held_credit),
    released_debit: BigInt(row.released_debit),
    released_credit: BigInt(row.released_credit),
    posted_debit: BigInt(row.posted_debit),
    posted_credit: BigInt(row.posted_credit),
  };
}
