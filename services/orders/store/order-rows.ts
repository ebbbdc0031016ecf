import { idOf, uuidOf } from "../../../contracts/ids/ids.ts";
import type { Annotations, OrderTerms, PaymentOrder, Phase, Progress } from "../order/payment-order.ts";

/** The columns that a transition or a change of annotations writes. */
export interface StateRow {
  phase: Phase;
  status: PaymentOrder["status"];
  sequence: number;
  annotations: Annotations | null;
  progress: Progress;
  due_at: Date | null;
  due_at_in_book: Date | null;
  updated_at: Date;
}

/** The columns that can't change after the submission (migrations/0002-guards.sql), with the key. */
export interface FixedRow {
  book_id: string;
  id: string;
  tenant_id: string;
  mode: PaymentOrder["mode"];
  direction: OrderTerms["direction"];
  rail: OrderTerms["rail"];
  amount_cents: bigint;
  currency: OrderTerms["currency"];
  ledger_account_id: string;
  ledger_account_name: string;
  counterparty_id: string | null;
  counterparty_name: string | null;
  counterparty_account: OrderTerms["counterpartyAccount"];
  counterparty_ledger_account_id: string | null;
  counterparty_routing_number: string | null;
  external_id: string | null;
  description: string | null;
  statement_descriptor: string | null;
  effective_date: string | null;
  purpose: string | null;
  basis: OrderTerms["basis"];
  metadata: Record<string, string>;
  obligation_id: string | null;
  created_by: string;
  created_at: Date;
}

/** A row of payment_order as Postgres returns it. */
export type OrderRow = FixedRow & StateRow;

/** What of an order can't change after its submission. */
export type FixedPart = Pick<
  PaymentOrder,
  "id" | "book" | "tenantId" | "mode" | "terms" | "createdBy" | "createdAt"
>;
export type OrderState = Omit<PaymentOrder, keyof FixedPart>;

/** A new order's annotations are those of its terms, and it waits for nothing in the book yet. */
export const insertColumns = `
  book_id, id, tenant_id, mode, phase, status, sequence, direction, rail, amount_cents, currency, ledger_account_id,
  ledger_account_name, counterparty_id, counterparty_name, counterparty_account, counterparty_ledger_account_id,
  counterparty_routing_number, external_id, description, statement_descriptor, effective_date, purpose, basis,
  metadata, obligation_id, progress, due_at, created_by, created_at, updated_at`;

export const stateColumns =
  "phase, status, sequence, annotations, progress, due_at, due_at_in_book, updated_at";
const fixedNames = `
  book_id, id, tenant_id, mode, direction, rail, amount_cents, currency, ledger_account_id, ledger_account_name,
  counterparty_id, counterparty_name, counterparty_account, counterparty_ledger_account_id, counterparty_routing_number,
  external_id, description, statement_descriptor, effective_date, purpose, basis, metadata, obligation_id, created_by,
  created_at`
  .split(",")
  .map((name) => name.trim());

/** The date is read as text, because a banking date has no time zone. */
const read = (name: string) => (name === "effective_date" ? "effective_date::text" : name);

/** Every column. */
export const orderColumns = [...fixedNames.map((name) => `${read(name)} as ${name}`), stateColumns].join(
  ", ",
);

/** The columns that never change after the submission, null where `condition` is true. */
export function fixedColumnsUnless(condition: string): string {
  return fixedNames
    .map((name) => `case when ${condition} then null else ${read(name)} end as ${name}`)
    .join(", ");
}

/** The record type of an insert's JSON, with the names and the order of `insertColumns`. */
export const orderRecord = `
  book_id uuid, id uuid, tenant_id uuid, mode text, phase text, status text, sequence int, direction text, rail text,
  amount_cents bigint, currency text, ledger_account_id uuid, ledger_account_name text, counterparty_id uuid, counterparty_name text,
  counterparty_account jsonb, counterparty_ledger_account_id uuid, counterparty_routing_number text, external_id text,
  description text, statement_descriptor text, effective_date date, purpose text, basis text, metadata jsonb,
  obligation_id uuid, progress jsonb, due_at timestamptz, created_by text, created_at timestamptz, updated_at timestamptz`;

export function rowOf(
  order: PaymentOrder,
): Omit<OrderRow, "amount_cents" | "annotations" | "due_at_in_book"> & { amount_cents: number } {
  const { terms } = order;
  return {
    book_id: uuidOf(order.book),
    id: uuidOf(order.id),
    tenant_id: uuidOf(order.tenantId),
    mode: order.mode,
    phase: order.phase,
    status: order.status,
    sequence: order.sequence,
    direction: terms.direction,
    rail: terms.rail,
    amount_cents: terms.amountCents,
    currency: terms.currency,
    ledger_account_id: uuidOf(terms.ledgerAccountId),
    ledger_account_name: terms.ledgerAccountName,
    counterparty_id: terms.counterpartyId === null ? null : uuidOf(terms.counterpartyId),
    counterparty_name: terms.counterpartyName,
    counterparty_account: terms.counterpartyAccount,
    counterparty_ledger_account_id:
      terms.counterpartyLedgerAccountId === null ? null : uuidOf(terms.counterpartyLedgerAccountId),
    counterparty_routing_number: terms.counterpartyRoutingNumber,
    external_id: terms.externalId,
    description: terms.description,
    statement_descriptor: terms.statementDescriptor,
    effective_date: terms.effectiveDate,
    purpose: terms.purpose,
    basis: terms.basis,
    metadata: terms.metadata,
    obligation_id: terms.obligationId === null ? null : uuidOf(terms.obligationId),
    progress: order.progress,
    due_at: order.dueAt,
    created_by: order.createdBy,
    created_at: order.createdAt,
    updated_at: order.updatedAt,
  };
}

export function orderOf(row: OrderRow): PaymentOrder {
  return { ...fixedPartIn(row), ...stateOf(row) };
}

export function stateOf(row: StateRow): OrderState {
  return {
    phase: row.phase,
    status: row.status,
    sequence: row.sequence,
    annotations: row.annotations,
    progress: row.progress,
    dueAt: row.due_at,
    dueAtInBook: row.due_at_in_book,
    updatedAt: row.updated_at,
  };
}

export function fixedPartOf({
  id,
  book,
  tenantId,
  mode,
  terms,
  createdBy,
  createdAt,
}: PaymentOrder): FixedPart {
  return { id, book, tenantId, mode, terms, createdBy, createdAt };
}

function fixedPartIn(row: FixedRow): FixedPart {
  return {
    id: idOf("po", row.id),
    book: idOf("book", row.book_id),
    tenantId: idOf("ten", row.tenant_id),
    mode: row.mode,
    terms: termsOf(row),
    createdBy: row.created_by,
    createdAt: row.created_at,
  };
}

function termsOf(row: FixedRow): OrderTerms {
  return {
    direction: row.direction,
    rail: row.rail,
    amountCents: Number(row.amount_cents),
    currency: row.currency,
    ledgerAccountId: idOf("la", row.ledger_account_id),
    ledgerAccountName: row.ledger_account_name,
    counterpartyId: row.counterparty_id === null ? null : idOf("cp", row.counterparty_id),
    counterpartyName: row.counterparty_name,
    counterpartyAccount: row.counterparty_account,
    counterpartyLedgerAccountId:
      row.counterparty_ledger_account_id === null ? null : idOf("la", row.counterparty_ledger_account_id),
    counterpartyRoutingNumber: row.counterparty_routing_number,
    externalId: row.external_id,
    description: row.description,
    statementDescriptor: row.statement_descriptor,
    effectiveDate: row.effective_date,
    purpose: row.purpose,
    basis: row.basis,
    metadata: row.metadata,
    obligationId: row.obligation_id === null ? null : idOf("ob", row.obligation_id),
  };
}
