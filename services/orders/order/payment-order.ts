import type {
  BookId,
  CounterpartyId,
  LedgerAccountId,
  LedgerTransactionId,
  Mode,
  ObligationId,
  PaymentOrderId,
  ReturnId,
  TenantId,
} from "../../../contracts/ids/ids.ts";
import type { OrderStatus } from "../../../contracts/http/payments/payment-order-parts.ts";
import type { PaymentOrder as PaymentOrderView } from "../../../contracts/http/payments/payment-orders.ts";
import type {
  OrderDirection,
  Rail,
  RailReference,
  EncryptedAccountNumber,
} from "../../../contracts/rails/rails.ts";

/** Where an order stands; `status` is what callers see of it (`statusOf`). */
export type Phase =
  | "Draft"
  | "ReservingFunds"
  | "CancellingBeforeHold"
  | "AwaitingApproval"
  | "AwaitingWindow"
  | "HandingOff"
  | "InFlight"
  | "AwaitingReturns"
  | "Settling"
  | "ReleasingAsFailed"
  | "ReleasingAsReturned"
  | "ReleasingAsCancelled"
  | "Completed"
  | "PostingLateReturn"
  | "Failed"
  | "Returned"
  | "Cancelled";

/** The fields that freeze at submission; approvals are bound to their hash. */
export interface OrderTerms {
  readonly direction: OrderDirection;
  readonly rail: Rail;
  readonly amountCents: number;
  readonly currency: "USD";
  readonly ledgerAccountId: LedgerAccountId;
  readonly ledgerAccountName: string;
  /** Whose details were copied at submission; null where they came with the order. */
  readonly counterpartyId: CounterpartyId | null;
  readonly counterpartyName: string | null;
  /** Null for Book and in a Draft that has none yet. */
  readonly counterpartyAccount: EncryptedAccountNumber | null;
  /** Book only: the counterparty's account in the same book. */
  readonly counterpartyLedgerAccountId: LedgerAccountId | null;
  readonly counterpartyRoutingNumber: string | null;
  readonly externalId: string | null;
  readonly description: string | null;
  readonly statementDescriptor: string | null;
  readonly effectiveDate: string | null;
  readonly purpose: string | null;
  readonly basis: "Actual" | "Demo" | "Missing";
  readonly metadata: Readonly<Record<string, string>>;
  /** The liability that it pays; the ledger chose such an order, and nobody else can name one. */
  readonly obligationId: ObligationId | null;
}

export interface Approval {
  readonly principal: string;
  readonly at: string;
  /** What was approved. Approvals from before it was noted down are of the order as it was frozen. */
  readonly orderHash?: string | null;
}

/** A bank's return. Unique per (order, trace, code). */
export interface PaymentReturn {
  readonly id: ReturnId;
  readonly code: string;
  readonly reason: string;
  readonly traceNumber: string;
  readonly receivedAt: string;
  readonly late: boolean;
}

/**
 * Money that the bank moved of an order that was over: it settled though it had failed or come back, or it came back
 * once more. It rests in Suspense, where a person finds out whose it is; the order stays what it was.
 */
export interface UnexpectedMovement {
  /** Settlement: as the order would have moved. Return: the other way round. */
  readonly movement: "Settlement" | "Return";
  readonly returnCode: string | null;
  /** UUIDv5 of order and movement: however often it is told, it is posted once. */
  readonly commandId: string;
  readonly ledgerTransactionId: LedgerTransactionId;
  readonly at: string;
}

/** What has happened to an order so far, beside its phase. Optional members came later: older orders lack them. */
export interface Progress {
  /** Computed at submission and only ever raised (domain/approvals.ts). */
  readonly approvalsRequired: number;
  /** Whether a maker's own approval counts where one is enough: every policy since submission has allowed it. */
  readonly makersMayApprove?: boolean;
  /** When a policy last raised what it needs while it waited: its approvers have the full time again. */
  readonly raisedAt?: string | null;
  readonly approvals: readonly Approval[];
  /** Everyone who created, edited or submitted it. */
  readonly makers: readonly string[];
  /** SHA-256 of the canonical terms; set at submission. */
  readonly orderHash: string | null;
  /** Types of the events that were applied: the same event said again changes nothing. */
  readonly applied: readonly string[];
  /** The highest number of a rail event that was applied: lower ones came late and say nothing new. */
  readonly railEventNumber: number;
  readonly ledgerTransactionId: LedgerTransactionId | null;
  readonly railReference: RailReference | null;
  readonly failure: PaymentOrderView["failure"];
  readonly cancelReason: string | null;
  /** Who cancelled or denied it: its hold is given back first, and the history names them all the same. */
  readonly cancelledBy?: string | null;
  /** The New York day whose limit its amount counts against, until it ends otherwise than Completed. */
  readonly limitDate?: string | null;
  readonly return: PaymentReturn | null;
  /** What two operators said became of it, when its rail did not. */
  readonly resolution?: {
    readonly as: "settled" | "failed";
    readonly by: readonly string[];
    readonly evidence: string;
  };
  /** What the bank moved when the order was over; in Suspense. */
  readonly unexpectedMovements?: readonly UnexpectedMovement[];
  readonly cutoff: PaymentOrderView["cutoff"];
  readonly expectedSettlementDate: string | null;
  readonly pendingSince: string | null;
  readonly settledAt: string | null;
  /** The effective time each command was first sent with: a resend is the same command, to the letter. */
  readonly sentAt: Readonly<
    Partial<Record<"PlaceHold" | "SettleHold" | "ReleaseHold" | "PostLateReturn", string>>
  >;
  /** The request that made it, for what the clock does later in its name. */
  readonly cause: { readonly correlationid: string; readonly traceparent?: string | undefined } | null;
  /** How often the deadline of this phase has passed already. */
  readonly timeoutCount: number;
}

export interface PaymentOrder {
  readonly id: PaymentOrderId;
  readonly book: BookId;
  readonly tenantId: TenantId;
  readonly mode: Mode;
  readonly phase: Phase;
  readonly status: OrderStatus;
  /** How many events the order has sent. */
  readonly sequence: number;
  readonly terms: OrderTerms;
  readonly progress: Progress;
  /** When the phase's deadline passes; null when nothing is due. */
  readonly dueAt: Date | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A status change as history keeps it. */
export interface StatusChange {
  /** 0 for the Draft that every order begins as; then the number of the event that tells of it. */
  readonly position: number;
  readonly from: OrderStatus | null;
  readonly to: OrderStatus;
  readonly at: Date;
  readonly actor: string;
  readonly reason: string | null;
}

const statusByPhase: Readonly<Partial<Record<Phase, OrderStatus>>> = {
  Draft: "Draft",
  ReservingFunds: "Submitted",
  CancellingBeforeHold: "Submitted",
  AwaitingApproval: "Pending",
  AwaitingWindow: "Pending",
  HandingOff: "Processing",
  InFlight: "Processing",
  AwaitingReturns: "Processing",
  Settling: "Processing",
  Completed: "Completed",
  PostingLateReturn: "Completed",
  Failed: "Failed",
  Returned: "Returned",
  Cancelled: "Cancelled",
};

/** What callers see in a phase; a release keeps the status that it came from until the ledger has moved. */
export function statusOf(phase: Phase, cameFrom: OrderStatus): OrderStatus {
  return statusByPhase[phase] ?? cameFrom;
}

/** Progress of an order that was just written down. */
export function initialProgress(maker: string): Progress {
  return {
    approvalsRequired: 0,
    makersMayApprove: false,
    approvals: [],
    makers: [maker],
    orderHash: null,
    applied: [],
    railEventNumber: 0,
    ledgerTransactionId: null,
    railReference: null,
    failure: null,
    cancelReason: null,
    return: null,
    cutoff: null,
    expectedSettlementDate: null,
    pendingSince: null,
    settledAt: null,
    sentAt: {},
    cause: null,
    timeoutCount: 0,
  };
}

/** Rails whose settlement is final only when the return window is over. */
export function hasReturnWindow(rail: Rail): boolean {
  return rail === "Ach" || rail === "SameDayAch";
}
