import type { ErrorCode, Refusal } from "../../../contracts/errors.ts";
import type { ObligationCreate, obligationStatuses } from "../../../contracts/http/ledger/obligations.ts";
import {
  type BookId,
  type CounterpartyId,
  idOf,
  type LedgerAccountId,
  type ObligationId,
  type PaymentOrderId,
  uuidOf,
} from "../../../contracts/ids/ids.ts";
import type { Caller, Idempotency } from "../../../contracts/message.ts";
import type { Rail } from "../../../contracts/rails/rails.ts";
import { type Account, balancesOf } from "./account.ts";
import type { ChartClass } from "./chart-of-accounts.ts";

export type ObligationType = ObligationCreate["type"];
export type ObligationLine = ObligationCreate["lines"][number];
export type ObligationStatus = (typeof obligationStatuses)[number];

/** The one order that may pay it now. */
export interface Remittance {
  readonly orderId: PaymentOrderId;
  readonly amountCents: number;
  readonly rail: Exclude<Rail, "Book">;
  readonly fundingAccountId: LedgerAccountId;
  /** Who asked for it, until the order's hold is decided: then orders has it for certain. */
  readonly requestedBy: RemittanceRequester | null;
}

export interface RemittanceRequester {
  readonly caller: Caller;
  readonly idempotency?: Idempotency | undefined;
  /** When orders is asked again, where its answer was lost. */
  readonly dueAt: string;
}

/** A liability that becomes fixed: a draft, then an accrual, then paid to zero by an order of the ledger's choice. */
export interface Obligation {
  readonly id: ObligationId;
  readonly book: BookId;
  readonly type: ObligationType;
  readonly status: ObligationStatus;
  readonly reference: string;
  readonly jurisdiction: string | null;
  readonly period: string | null;
  readonly payeeCounterpartyId: CounterpartyId | null;
  readonly lines: readonly ObligationLine[];
  /** What was accrued, amendments and all, in cents. */
  readonly fixedCents: number;
  /** The order that pays it, or that relieved it. */
  readonly paymentOrderId: PaymentOrderId | null;
  /** There is one exactly while it is Remitting. */
  readonly remittance: Remittance | null;
  /** How many steps its history has. */
  readonly eventCount: number;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The expense that an obligation of a type is accrued against. */
export const expenseClassOf = {
  FuelTaxReturn: "FuelTaxExpense",
  OperatorSettlement: "OperatorSettlementExpense",
  Other: "ObligationExpense",
} as const satisfies Record<ObligationType, ChartClass>;

/** Each obligation has a liability account with its own uuid: neither way needs a look-up. */
export function liabilityOf(id: ObligationId): LedgerAccountId {
  return idOf("la", uuidOf(id));
}

/** The obligation that a liability account is of. */
export function obligationOf(liability: LedgerAccountId): ObligationId {
  return idOf("ob", uuidOf(liability));
}

const maxReferenceInName = 55;

/** Within an account name's 100 characters, and with an id in it: no tenant has an account of that name by chance. */
export function liabilityNameOf({ id, reference }: Pick<Obligation, "id" | "reference">): string {
  return `${[...reference].slice(0, maxReferenceInName).join("")} liability (${id})`;
}

/** What is not paid of it, in cents: its liability account tells. */
export function outstandingOf({ counters }: Pick<Account, "counters">): bigint {
  return balancesOf("Credit", counters).posted;
}

export function sumOf(lines: readonly ObligationLine[]): number {
  return lines.reduce((sum, { amountCents }) => sum + amountCents, 0);
}

/** Why something is not done, with what a program may want to know of it. */
export interface ObligationRejection {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly context?: Refusal["context"];
}

/** A figure that is not real is never booked: the first line whose basis is Demo or Missing. */
export function rejectUnrealBasis(lines: readonly ObligationLine[]): ObligationRejection | null {
  const place = lines.findIndex(({ basis }) => basis.kind !== "Actual");
  const line = lines[place];
  if (line === undefined) return null;
  const context = { line: { index: place, description: line.description, source: line.basis.source } };
  return line.basis.kind === "Demo"
    ? {
        code: "basis_is_demo_data",
        detail: `The line "${line.description}" rests on demo data (${line.basis.source}). Put the actual figure in its place.`,
        context,
      }
    : {
        code: "basis_missing_input",
        detail: `The line "${line.description}" lacks an input (${line.basis.source}). Complete it when the figure is known.`,
        context,
      };
}

/** Why no order may be made for it now, or null. */
export function rejectUnpayable(obligation: Obligation): ObligationRejection | null {
  const { status, paymentOrderId, payeeCounterpartyId } = obligation;
  const not = (detail: string, more: Record<string, unknown> = {}): ObligationRejection => ({
    code: "obligation_not_payable",
    detail,
    context: { currentStatus: status, ...more },
  });
  if (status === "Open") return not("The obligation is Open: fix it first.");
  if (status === "Remitting") {
    return not(`${paymentOrderId} pays it. Wait until that order has ended, or cancel it.`, {
      paymentOrderId,
    });
  }
  if (status === "Relieved") {
    return not("Nothing of it is outstanding. Amend it if more is owed.", { paymentOrderId });
  }
  if (payeeCounterpartyId === null) {
    return not("It names no payee. Set payeeCounterpartyId, then remit it.");
  }
  return null;
}
