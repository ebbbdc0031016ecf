import type {
  InboundPayment,
  InboundPaymentStatus,
  InboundReason,
} from "../../../../contracts/http/ledger/inbound-payments.ts";
import {
  type BookId,
  idOf,
  type InboundPaymentId,
  type LedgerAccountId,
  type PaymentOrderId,
  uuidOf,
  type VirtualAccountId,
} from "../../../../contracts/ids/ids.ts";
import { safeCents } from "../../../../contracts/money.ts";
import { maskedAccountNumber, type OrderDirection } from "../../../../contracts/rails/rails.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { arrayLiteral } from "../../../platform/persistence/array-literal.ts";

export interface InboundPaymentRow {
  inbound_payment_id: string;
  bank_reference: string;
  rail: InboundPayment["rail"];
  direction: OrderDirection;
  amount_cents: bigint;
  currency: "USD";
  originator_name: string;
  account_number_last4: string;
  status: InboundPaymentStatus;
  reason: InboundReason | null;
  virtual_account_id: string | null;
  ledger_account_id: string | null;
  seq: bigint | null;
  proposed_account_id: string | null;
  proposed_by: string | null;
  proposed_at: Date | null;
  assigned_transaction_id: string | null;
  assigned_by: string | null;
  assigned_at: Date | null;
  returns_order_id: string | null;
  return_code: string | null;
  original_trace: string | null;
  occurred_at: Date;
  created_at: Date;
}

export const inboundPaymentColumns = `p.inbound_payment_id, p.bank_reference, p.rail, p.direction, p.amount_cents,
  p.currency, p.originator_name, p.account_number_last4, p.status, p.reason, p.virtual_account_id, p.ledger_account_id,
  p.seq, p.proposed_account_id, p.proposed_by, p.proposed_at, p.assigned_transaction_id, p.assigned_by, p.assigned_at,
  p.returns_order_id, p.return_code, p.original_trace, p.occurred_at, p.created_at`;

/** A new payment. `sequence` is the journal that booked it, or null if no money moved. */
export interface NewInboundPayment {
  readonly id: InboundPaymentId;
  readonly book: BookId;
  readonly bankReference: string;
  readonly rail: InboundPayment["rail"];
  readonly direction: OrderDirection;
  readonly amountCents: number;
  readonly currency: string;
  readonly originatorName: string;
  readonly accountNumberLast4: string;
  readonly status: InboundPaymentStatus;
  readonly reason: InboundReason | null;
  readonly virtualAccountId: VirtualAccountId | null;
  readonly ledgerAccountId: LedgerAccountId | null;
  readonly sequence: number | null;
  readonly returnsPaymentOrderId: PaymentOrderId | null;
  readonly unmatchedReturn: InboundPayment["unmatchedReturn"];
  readonly occurredAt: string;
  readonly createdAt: Date;
}

/** Call it after the payments' journals are appended: Postgres compares the two. */
export async function insertInboundPayments(sql: Sql, payments: readonly NewInboundPayment[]): Promise<void> {
  if (payments.length === 0) return;
  await sql(
    `insert into inbound_payment (book_id, inbound_payment_id, bank_reference, rail, direction, amount_cents, currency,
       originator_name, account_number_last4, status, reason, virtual_account_id, ledger_account_id, seq, occurred_at,
       created_at, returns_order_id, return_code, original_trace)
     select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::side[], $6::bigint[], $7::text[],
       $8::text[], $9::text[], $10::text[], $11::text[], $12::uuid[], $13::uuid[], $14::bigint[], $15::timestamptz[],
       $16::timestamptz[], $17::uuid[], $18::text[], $19::text[])`,
    [
      arrayLiteral(payments.map(({ book }) => uuidOf(book))),
      arrayLiteral(payments.map(({ id }) => uuidOf(id))),
      payments.map(({ bankReference }) => bankReference),
      payments.map(({ rail }) => rail),
      payments.map(({ direction }) => direction),
      payments.map(({ amountCents }) => amountCents),
      payments.map(({ currency }) => currency),
      payments.map(({ originatorName }) => originatorName),
      payments.map(({ accountNumberLast4 }) => accountNumberLast4),
      payments.map(({ status }) => status),
      payments.map(({ reason }) => reason),
      payments.map(({ virtualAccountId: id }) => (id === null ? null : uuidOf(id))),
      payments.map(({ ledgerAccountId: id }) => (id === null ? null : uuidOf(id))),
      payments.map(({ sequence }) => sequence),
      payments.map(({ occurredAt }) => occurredAt),
      payments.map(({ createdAt }) => createdAt.toISOString()),
      payments.map(({ returnsPaymentOrderId: id }) => (id === null ? null : uuidOf(id))),
      payments.map(({ unmatchedReturn }) => unmatchedReturn?.code ?? null),
      payments.map(({ unmatchedReturn }) => unmatchedReturn?.originalTraceNumber ?? null),
    ],
  );
}

/** What the bank reports once in a book: a reference, and for an unmatched return its code. */
export interface ReportKey {
  readonly book: BookId;
  readonly bankReference: string;
  readonly returnCode?: string;
}

/** The bank's first report of a key. */
export interface KnownReport {
  readonly direction: OrderDirection;
  readonly rail: InboundPayment["rail"];
  readonly amountCents: number;
}

export const textOfKey = ({ book, bankReference, returnCode = "" }: ReportKey) =>
  `${book}/${bankReference}/${returnCode}`;

/**
 * The known reports, by `textOfKey`. The caller holds the heads' locks, so no other transaction adds one. `uuid_send`
 * keeps the planner from the primary key (docs/sql.md).
 */
export async function readKnownReports(
  sql: Sql,
  keys: readonly ReportKey[],
): Promise<Map<string, KnownReport>> {
  const rows = await sql<{
    book_id: string;
    bank_reference: string;
    return_code: string;
    direction: OrderDirection;
    rail: InboundPayment["rail"];
    amount_cents: bigint;
  }>(
    `select p.book_id, p.bank_reference, u.return_code, p.direction, p.rail, p.amount_cents
     from (
       select distinct * from unnest($1::uuid[], $2::text[], $3::text[])
     ) as u (book_id, bank_reference, return_code)
     cross join lateral (
       select * from inbound_payment x
       where x.bank_reference = u.bank_reference
         and coalesce(x.return_code, '') = u.return_code
         and uuid_send(x.book_id) = uuid_send(u.book_id)
       offset 0
     ) p`,
    [
      arrayLiteral(keys.map(({ book }) => uuidOf(book))),
      keys.map(({ bankReference }) => bankReference),
      keys.map(({ returnCode = "" }) => returnCode),
    ],
  );
  return new Map(
    rows.map((row) => [
      textOfKey({
        book: idOf("book", row.book_id),
        bankReference: row.bank_reference,
        returnCode: row.return_code,
      }),
      { direction: row.direction, rail: row.rail, amountCents: safeCents(row.amount_cents) },
    ]),
  );
}

export async function findInboundPayment(
  sql: Sql,
  book: BookId,
  id: InboundPaymentId,
): Promise<InboundPaymentRow | undefined> {
  const [row] = await sql<InboundPaymentRow>(
    `select ${inboundPaymentColumns}
     from inbound_payment p
     where p.book_id = $1
       and p.inbound_payment_id = $2`,
    [uuidOf(book), uuidOf(id)],
  );
  return row;
}

export function toInboundPayment(row: InboundPaymentRow): InboundPayment {
  const {
    assigned_transaction_id: assigned,
    assigned_by: by,
    assigned_at: at,
    ledger_account_id: account,
  } = row;
  return {
    id: idOf("ip", row.inbound_payment_id),
    status: row.status,
    reason: row.reason,
    returnsPaymentOrderId: row.returns_order_id === null ? null : idOf("po", row.returns_order_id),
    unmatchedReturn: toUnmatchedReturn(row),
    returnCode: row.status === "Returned" ? "R29" : null,
    virtualAccountId: row.virtual_account_id === null ? null : idOf("va", row.virtual_account_id),
    accountNumber: maskedAccountNumber(row.account_number_last4),
    accountNumberLast4: row.account_number_last4,
    ledgerAccountId: account === null ? null : idOf("la", account),
    // The journal's transaction has the payment's own uuid.
    ledgerTransactionId: row.seq === null ? null : idOf("lt", row.inbound_payment_id),
    proposedAssignment: toProposal(row),
    assignment:
      assigned === null || by === null || at === null || account === null
        ? null
        : {
            ledgerTransactionId: idOf("lt", assigned),
            ledgerAccountId: idOf("la", account),
            assignedBy: by,
            assignedAt: at.toISOString(),
          },
    rail: row.rail,
    direction: row.direction,
    amountCents: safeCents(row.amount_cents),
    currency: row.currency,
    originatorName: row.originator_name,
    bankReference: row.bank_reference,
    occurredAt: row.occurred_at.toISOString(),
    createdAt: row.created_at.toISOString(),
  };
}

function toProposal({
  proposed_account_id: account,
  proposed_by: by,
  proposed_at: at,
}: InboundPaymentRow): InboundPayment["proposedAssignment"] {
  if (account === null || by === null || at === null) return null;
  return { ledgerAccountId: idOf("la", account), proposedBy: by, proposedAt: at.toISOString() };
}

export function toUnmatchedReturn({
  return_code: code,
  original_trace: originalTraceNumber,
}: Pick<InboundPaymentRow, "return_code" | "original_trace">): InboundPayment["unmatchedReturn"] {
  return code === null || originalTraceNumber === null ? null : { code, originalTraceNumber };
}
