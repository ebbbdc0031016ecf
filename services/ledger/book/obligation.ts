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
  /** Who requested it. Null once the order's hold is decided, because orders then certainly has the order. */
  readonly requestedBy: RemittanceRequester | null;
}

export interface RemittanceRequester {
  readonly caller: Caller;
  readonly idempotency?: Idempotency | undefined;
  /** When to ask orders again if its answer was lost. */
  readonly dueAt: string;
}

/**
 * A liability: Open while its figures may change, Fixed once it is accrued, Remitting while the order that the ledger
 * chose pays it, Relieved when nothing is outstanding.
 */
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
  /** The accrued sum in cents, amendments included. */
  readonly fixedCents: number;
  /** The order that pays it, or that paid it. */
  readonly paymentOrderId: PaymentOrderId | null;
  /** Not null exactly while the status is Remitting. */
  readonly remittance: Remittance | null;
  /** The number of events in its history. */
  readonly eventCount: number;
  readonly createdBy: string;
  /** Everybody who created, edited, fixed or amended it. None of them may approve the order that pays it. */
  readonly makers: readonly string[];
  /** 1 at first. Each change but an undone one raises it. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The obligation with this principal among its makers. */
export function withMaker(obligation: Obligation, principal: string): Obligation {
  const { makers } = obligation;
  return makers.includes(principal) ? obligation : { ...obligation, makers: [...makers, principal] };
}

/** The expense account that an obligation of each type is accrued against. */
export const expenseClassOf = {
  FuelTaxReturn: "FuelTaxExpense",
  OperatorSettlement: "OperatorSettlementExpense",
  Other: "ObligationExpense",
} as const satisfies Record<ObligationType, ChartClass>;

/** An obligation and its liability account share one uuid, so neither needs a look-up. */
export function liabilityOf(id: ObligationId): LedgerAccountId {
  return idOf("la", uuidOf(id));
}

/** The obligation of a liability account. */
export function obligationOf(liability: LedgerAccountId): ObligationId {
  return idOf("ob", uuidOf(liability));
}

const maxReferenceInName = 55;

/** At most an account name's 100 characters. The id is in it, so no tenant's account has that name by chance. */
export function liabilityNameOf({ id, reference }: Pick<Obligation, "id" | "reference">): string {
  return `${[...reference].slice(0, maxReferenceInName).join("")} liability (${id})`;
}

/** The unpaid sum in cents: the posted balance of its liability account. */
export function outstandingOf({ counters }: Pick<Account, "counters">): bigint {
  return balancesOf("Credit", counters).posted;
}

export function sumOf(lines: readonly ObligationLine[]): number {
  return lines.reduce((sum, { amountCents }) => sum + amountCents, 0);
}

/** Why a request about an obligation is refused, with context for the caller's program. */
export interface ObligationRejection {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly context?: Refusal["context"];
}

/** Rejects the first line whose basis is Demo or Missing: only actual figures are booked. */
export function rejectUnrealBasis(lines: readonly ObligationLine[]): ObligationRejection | null {
  const index = lines.findIndex(({ basis }) => basis.kind !== "Actual");
  const line = lines[index];
  if (line === undefined) return null;
  const context = { line: { index, description: line.description, source: line.basis.source } };
  return line.basis.kind === "Demo"
    ? {
        code: "basis_is_demo_data",
        detail: `The line "${line.description}" is based on demo data (${line.basis.source}). Replace it with the actual figure.`,
        context,
      }
    : {
        code: "basis_missing_input",
        detail: `The line "${line.description}" lacks an input (${line.basis.source}). Complete it when the figure is known.`,
        context,
      };
}

/** Why no order can be created for it now, or null. */
export function rejectUnpayable(obligation: Obligation): ObligationRejection | null {
  const { status, paymentOrderId, payeeCounterpartyId } = obligation;
  const not = (detail: string, more: Record<string, unknown> = {}): ObligationRejection => ({
    code: "obligation_not_payable",
    detail,
    context: { currentStatus: status, ...more },
  });
  if (status === "Open") return not("The obligation is Open: fix it first.");
  if (status === "Remitting") {
    return not(`${paymentOrderId} pays the obligation. Wait until that order has ended, or cancel it.`, {
      paymentOrderId,
    });
  }
  if (status === "Relieved") {
    return not("Nothing is outstanding. Amend the obligation if more is owed.", { paymentOrderId });
  }
  if (payeeCounterpartyId === null) {
    return not("The obligation has no payee. Set payeeCounterpartyId, then remit it.");
  }
  return null;
}
