import {
  type BankAccount,
  type ItemReason,
  maxItemsShown,
  type ReconciliationReason,
  type ReconciliationStatus,
} from "../../../../contracts/http/ledger/reconciliations.ts";
import { type BookId, idOf, type ReconciliationId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { Movement, OpenItem } from "../domain/matching.ts";
import type { AsOf } from "../../book/as-of.ts";
import type { ReconciliationResult } from "../domain/result.ts";
import { endOf } from "../../posting/store/as-of.ts";
import type { CashSnapshot } from "./cash-movements.ts";

/** A run with the header of its statement. */
export interface RunRow {
  run: number;
  reconciliation_id: string;
  date: string;
  status: ReconciliationStatus;
  reasons: ReconciliationReason[];
  statement_number: number | null;
  statement_id: string | null;
  hash: string | null;
  line_count: number | null;
  ends_at: Date | null;
  opening_cents: bigint | null;
  closing_cents: bigint | null;
  ledger_cash_cents: bigint;
  sub_ledger_cents: bigint;
  cutoff_seq: bigint;
  cash_version: bigint;
  wallet_version: bigint;
  in_transit_cents: bigint | null;
  difference_cents: bigint | null;
  matched_count: number;
  in_transit_count: number;
  unmatched_bank_count: number;
  unmatched_ledger_count: number;
  as_of: Date;
}

/** Runs of a source `r`, each with its statement. */
export const runsOf = (
  source: string,
) => `select r.run, r.reconciliation_id, r.banking_date::text as date, r.status, r.reasons, r.statement_number,
    s.statement_id, encode(s.hash, 'hex') as hash, s.line_count, s.ends_at, s.opening_cents, s.closing_cents,
    r.ledger_cash_cents, r.sub_ledger_cents, r.cutoff_seq, r.cash_version, r.wallet_version, r.in_transit_cents,
    r.difference_cents, r.matched_count, r.in_transit_count, r.unmatched_bank_count, r.unmatched_ledger_count, r.as_of
  from ${source}
  left join lateral (
    select * from bank_statement x where x.book_id = r.book_id and x.number = r.statement_number offset 0
  ) s on true`;
export const runs = runsOf("reconciliation r");

/** The book's newest run of any kind, or the newest at `moment`: it reads past the later ones, a few a day. */
export async function lastRun(
  sql: Sql,
  book: BookId,
  moment: AsOf | null = null,
): Promise<RunRow | undefined> {
  const then = moment === null ? null : endOf(moment, "$2");
  const [row] = await sql<RunRow>(
    `${runs}
     where r.book_id = $1
       ${then === null ? "" : `and r.as_of < ${then.end}`}
     order by r.run desc
     limit 1`,
    [uuidOf(book), ...(then === null ? [] : [then.param])],
  );
  return row;
}

/** The newest run that compared a statement; the next run continues from it. */
export async function lastComparison(sql: Sql, book: BookId): Promise<RunRow | undefined> {
  const [row] = await sql<RunRow>(
    `${runs}
     where r.statement_number = (select max(b.number) from bank_statement b where b.book_id = $1)
       and r.book_id = $1`,
    [uuidOf(book)],
  );
  return row;
}

export async function findRun(sql: Sql, book: BookId, id: ReconciliationId): Promise<RunRow | undefined> {
  const [row] = await sql<RunRow>(`${runs} where r.reconciliation_id = $2 and r.book_id = $1`, [
    uuidOf(book),
    uuidOf(id),
  ]);
  return row;
}

export async function findRunOfStatement(
  sql: Sql,
  book: BookId,
  number: number,
): Promise<RunRow | undefined> {
  const [row] = await sql<RunRow>(`${runs} where r.statement_number = $2 and r.book_id = $1`, [
    uuidOf(book),
    number,
  ]);
  return row;
}

export interface NewRun {
  readonly book: BookId;
  readonly run: number;
  readonly id: ReconciliationId;
  readonly date: string;
  readonly statementNumber: number | null;
  readonly cash: CashSnapshot;
  /** Null: the statement is missing. */
  readonly result: ReconciliationResult | null;
  readonly matchedCount: number;
  readonly items: readonly (OpenItem & { readonly ageBankingDays: number })[];
}

/** Inserts a run with its open items. */
export async function insertRun(sql: Sql, made: NewRun): Promise<void> {
  const { book, cash, result, items } = made;
  const unmatched = items.filter(({ inTransit }) => !inTransit);
  await sql(
    `insert into reconciliation (book_id, run, reconciliation_id, banking_date, status, reasons, statement_number,
       ledger_cash_cents, sub_ledger_cents, cutoff_seq, cash_version, wallet_version, in_transit_cents,
       difference_cents, matched_count, in_transit_count, unmatched_bank_count, unmatched_ledger_count, as_of)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
    [
      uuidOf(book),
      made.run,
      uuidOf(made.id),
      made.date,
      result?.status ?? "NotReconciled",
      result?.reasons ?? ["StatementMissing"],
      made.statementNumber,
      cash.ledgerCashCents,
      cash.subLedgerCents,
      cash.cutoffSequence,
      cash.versions.SettlementCash,
      cash.versions.StablecoinWallet,
      result?.inTransitCents ?? null,
      result?.differenceCents ?? null,
      made.matchedCount,
      items.length - unmatched.length,
      unmatched.filter(({ source }) => source === "BankLine").length,
      unmatched.filter(({ source }) => source === "LedgerEntry").length,
      cash.asOf.toISOString(),
    ],
  );
  await insertItems(sql, made);
}

/**
 * Each run stores all open items again, so that it can be read alone. Items in transit are the payments of one return
 * window, at most five banking days; unmatched items alert an operator.
 */
async function insertItems(sql: Sql, { book, run, items }: NewRun): Promise<void> {
  if (items.length === 0) return;
  await sql(
    `insert into reconciliation_item (book_id, run, item, in_transit, source, reason, number, line, account, side,
       amount_cents, match_key, reference, order_id, transaction_id, kind, occurred_at, first_seen, age_banking_days)
     select $1, $2, u.* from unnest($3::int[], $4::boolean[], $5::text[], $6::text[], $7::bigint[], $8::int[],
       $9::account_class[], $10::text[], $11::bigint[], $12::text[], $13::text[], $14::uuid[], $15::uuid[],
       $16::text[], $17::timestamptz[], $18::date[], $19::int[]) u`,
    [
      uuidOf(book),
      run,
      items.map((_item, index) => index + 1),
      items.map(({ inTransit }) => inTransit),
      items.map(({ source }) => source),
      items.map(({ reason }) => reason),
      items.map(({ number }) => number),
      items.map(({ line }) => line),
      items.map(({ account }) => account),
      items.map(({ side }) => side),
      items.map(({ amountCents }) => amountCents),
      items.map(({ matchKey }) => matchKey),
      items.map(({ reference }) => reference),
      items.map(({ orderId }) => (orderId === null ? null : uuidOf(orderId))),
      items.map(({ transactionId }) => (transactionId === null ? null : uuidOf(transactionId))),
      items.map(({ kind }) => kind),
      items.map(({ occurredAt }) => occurredAt.toISOString()),
      items.map(({ firstSeen }) => firstSeen),
      items.map(({ ageBankingDays }) => ageBankingDays),
    ],
  );
}

interface ItemRow {
  item: number;
  in_transit: boolean;
  source: Movement["source"];
  reason: ItemReason;
  number: bigint;
  line: number;
  account: BankAccount;
  side: Movement["side"];
  amount_cents: bigint;
  match_key: string;
  reference: string | null;
  order_id: string | null;
  transaction_id: string | null;
  kind: string;
  occurred_at: Date;
  first_seen: string;
  age_banking_days: number;
}

/** `position` is unique in its run. */
export type StoredItem = OpenItem & { readonly position: number; readonly ageBankingDays: number };

const items = `select item, in_transit, source, reason, number, line, account, side, amount_cents, match_key, reference,
    order_id, transaction_id, kind, occurred_at, first_seen::text as first_seen, age_banking_days
  from reconciliation_item
  where book_id = $1
    and run = $2`;

/** All open items of a run, which the next run tries to match. */
export async function openItems(sql: Sql, book: BookId, run: number): Promise<StoredItem[]> {
  const rows = await sql<ItemRow>(`${items} order by item`, [uuidOf(book), run]);
  return rows.map(toItem);
}

/** The oldest open items of each kind, as many as a report shows. */
export async function shownItems(sql: Sql, book: BookId, run: number): Promise<StoredItem[]> {
  const part = (filter: string) => `(${items} and ${filter} order by item limit $3)`;
  const rows = await sql<ItemRow>(
    [
      part("in_transit"),
      part("not in_transit and source = 'BankLine'"),
      part("not in_transit and source = 'LedgerEntry'"),
    ].join(" union all "),
    [uuidOf(book), run, maxItemsShown],
  );
  return rows.map(toItem);
}

/**
 * The open items of a run, oldest first: `limit + 1` after a position. With reasons it reads past the run's other
 * items, because no index has the reason.
 */
export async function listItems(
  sql: Sql,
  book: BookId,
  run: number,
  page: {
    readonly after: string;
    readonly limit: number;
    readonly reasons?: readonly ItemReason[] | undefined;
  },
): Promise<StoredItem[]> {
  const ofReasons = page.reasons === undefined ? "" : "and reason = any($5::text[])";
  const rows = await sql<ItemRow>(`${items} and item > $3::bigint ${ofReasons} order by item limit $4`, [
    uuidOf(book),
    run,
    page.after,
    page.limit + 1,
    ...(page.reasons === undefined ? [] : [page.reasons]),
  ]);
  return rows.map(toItem);
}

function toItem(row: ItemRow): StoredItem {
  return {
    position: row.item,
    inTransit: row.in_transit,
    source: row.source,
    reason: row.reason,
    number: Number(row.number),
    line: row.line,
    account: row.account,
    side: row.side,
    amountCents: row.amount_cents,
    matchKey: row.match_key,
    reference: row.reference,
    orderId: row.order_id === null ? null : idOf("po", row.order_id),
    transactionId: row.transaction_id === null ? null : idOf("lt", row.transaction_id),
    kind: row.kind,
    occurredAt: row.occurred_at,
    recordedAt: null,
    firstSeen: row.first_seen,
    ageBankingDays: row.age_banking_days,
  };
}
