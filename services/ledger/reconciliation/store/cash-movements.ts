import {
  type BookId,
  idOf,
  type LedgerAccountId,
  type PaymentOrderId,
  uuidOf,
} from "../../../../contracts/ids/ids.ts";
import type { BankAccount } from "../../../../contracts/http/ledger/reconciliations.ts";
import { timeInSql } from "../../../platform/clock/book-clocks.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { chartAccountId } from "../../book/chart-of-accounts.ts";
import { type ExpectedPostings, keyOfReference, type Movement } from "../domain/matching.ts";
import type { JournalKind } from "../../book/journal.ts";
import { arrayLiteral } from "../../../platform/persistence/array-literal.ts";

/** A book as of one instant: sums in cents, and how many entries the bank's two accounts had. */
export interface CashSnapshot {
  readonly asOf: Date;
  /** The time in the book then. */
  readonly bookTime: Date;
  /** Whether the book has a clock of its own. */
  readonly hasClock: boolean;
  readonly cutoffSequence: bigint;
  readonly ledgerCashCents: bigint;
  readonly subLedgerCents: bigint;
  readonly versions: Readonly<Record<BankAccount, bigint>>;
}

interface SnapshotRow {
  as_of: Date;
  book_time: Date;
  has_clock: boolean;
  last_seq: bigint;
  cash_cents: bigint;
  owed_cents: bigint;
  cash_version: bigint;
  wallet_version: bigint;
}

const bankAccounts = ["SettlementCash", "StablecoinWallet"] as const;
const atBank = "t.class in ('SettlementCash', 'StablecoinWallet')";

/** One statement, so one snapshot. Sums come from class totals, so the cost does not grow with the book. */
export async function readCash(sql: Sql, book: BookId): Promise<CashSnapshot | undefined> {
  const version = (account: string) =>
    `(select b.version from account_balance b where b.book_id = h.book_id and b.account_id = ${account})`;
  const [row] = await sql<SnapshotRow>(
    `select statement_timestamp() as as_of,
       coalesce(${timeInSql("c", "statement_timestamp()")}, statement_timestamp()) as book_time,
       c.book_id is not null as has_clock, h.last_seq, t.cash_cents, t.owed_cents,
       ${version("$2")} as cash_version, ${version("$3")} as wallet_version
     from book_head h
     left join book_clock c on c.book_id = h.book_id
     cross join lateral (
       select coalesce(total(t.posted_debit - t.posted_credit) filter (where ${atBank}), 0)::bigint as cash_cents,
         coalesce(total(t.posted_credit - t.posted_debit) filter (where not ${atBank}), 0)::bigint as owed_cents
       from class_total t
       where t.book_id = h.book_id
     ) t
     where h.book_id = $1`,
    [uuidOf(book), ...bankAccounts.map((account) => uuidOf(chartAccountId(book, account)))],
  );
  return row === undefined
    ? undefined
    : {
        asOf: row.as_of,
        bookTime: row.book_time,
        hasClock: row.has_clock,
        cutoffSequence: row.last_seq,
        ledgerCashCents: row.cash_cents,
        subLedgerCents: row.owed_cents,
        versions: { SettlementCash: row.cash_version, StablecoinWallet: row.wallet_version },
      };
}

interface EntryRow {
  seq: bigint;
  line: number;
  direction: "Debit" | "Credit";
  amount_cents: bigint;
  kind: JournalKind;
  transaction_id: string;
  order_id: string | null;
  effective_at: Date;
  recorded_at: Date;
  bank_reference: string | null;
}

/** The postings to a bank account after version `after`, up to version `upTo`. */
async function entriesBetween(
  sql: Sql,
  book: BookId,
  account: LedgerAccountId,
  after: bigint,
  upTo: bigint,
): Promise<EntryRow[]> {
  return sql<EntryRow>(
    `select e.seq, e.line, e.direction, e.amount_cents, j.kind, j.transaction_id, j.order_id,
       j.effective_at, j.recorded_at, i.bank_reference
     from (
       select x.book_id, x.seq, x.line, x.direction, x.amount_cents, x.layer
       from entry x
       where x.book_id = $1
         and x.account_id = $2
         and x.account_version > $3
         and x.account_version <= $4
       order by x.account_version
     ) e
     cross join lateral (
       select x.kind, x.transaction_id, x.order_id, x.effective_at, x.recorded_at
       from journal x
       where x.book_id = e.book_id and x.seq = e.seq
       offset 0
     ) j
     -- An inbound payment's transaction has its own uuid.
     left join lateral (
       select x.bank_reference
       from inbound_payment x
       where j.kind in ('Inbound', 'UnmatchedReturn') and x.book_id = e.book_id and x.inbound_payment_id = j.transaction_id
       offset 0
     ) i on true
     where e.layer = 'Posted'`,
    [uuidOf(book), uuidOf(account), after, upTo],
  );
}

/** The ledger's record of what moved at the bank since the versions of an earlier run. */
export async function cashMovements(
  sql: Sql,
  book: BookId,
  since: CashSnapshot["versions"],
  now: CashSnapshot["versions"],
  firstSeen: string,
): Promise<Movement[]> {
  const movements: Movement[] = [];
  for (const account of bankAccounts) {
    const id = chartAccountId(book, account);
    const rows = await entriesBetween(sql, book, id, since[account], now[account]);
    for (const row of rows) movements.push(toMovement(row, account, firstSeen));
  }
  return movements;
}

function toMovement(row: EntryRow, account: BankAccount, firstSeen: string): Movement {
  const orderId = row.order_id === null ? null : idOf("po", row.order_id);
  const transactionId = idOf("lt", row.transaction_id);
  return {
    source: "LedgerEntry",
    number: Number(row.seq),
    line: row.line,
    account,
    side: row.direction === "Debit" ? "In" : "Out",
    amountCents: row.amount_cents,
    matchKey: orderId ?? (row.bank_reference === null ? transactionId : keyOfReference(row.bank_reference)),
    reference: row.bank_reference,
    orderId,
    transactionId,
    kind: row.kind,
    occurredAt: row.effective_at,
    recordedAt: row.recorded_at,
    firstSeen,
  };
}

interface OrderRow {
  transaction_id: string;
  held: boolean;
  settled: boolean;
}

/**
 * Which of these orders the ledger is expected to settle: it held them at the statement's end, and had not settled them
 * at the cutoff. And which it is expected to return: it settled them, and had booked no return at the cutoff. A hold or
 * settlement after the cutoff counts too: the bank may have been faster than the run. A release after the statement's
 * end does not count yet: the return that caused it is on the next statement.
 */
export async function expectedPostings(
  sql: Sql,
  book: BookId,
  orders: readonly PaymentOrderId[],
  { cutoffSequence, endsAt }: { readonly cutoffSequence: bigint; readonly endsAt: Date },
): Promise<ExpectedPostings> {
  if (orders.length === 0) return { settlements: new Set(), returns: new Set() };
  // An order's transaction has the order's own uuid (book/commands.ts).
  const rows = await sql<OrderRow>(
    `select u.transaction_id,
       bool_or(j.kind = 'Hold') and not bool_or(
         j.kind = 'Release' and j.effective_at < $4 or j.kind = 'Settle' and j.seq <= $3
       ) as held,
       bool_or(j.kind = 'Settle') and not bool_or(j.kind = 'LateReturn' and j.seq <= $3) as settled
     from unnest($2::uuid[]) u (transaction_id)
     cross join lateral (
       select x.book_id, x.kind, x.seq, x.effective_at
       from journal x
       where x.transaction_id = u.transaction_id
       offset 0
     ) j
     where j.book_id = $1
     group by u.transaction_id`,
    [uuidOf(book), arrayLiteral([...new Set(orders.map((order) => uuidOf(order)))]), cutoffSequence, endsAt],
  );
  const ordersOf = (chosen: readonly OrderRow[]) =>
    new Set(chosen.map(({ transaction_id }) => idOf("po", transaction_id)));
  return {
    settlements: ordersOf(rows.filter(({ held }) => held)),
    returns: ordersOf(rows.filter(({ settled }) => settled)),
  };
}
