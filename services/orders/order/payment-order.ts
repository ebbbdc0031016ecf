import {
  type BookId,
  type CounterpartyId,
  creationTimeOf,
  type InboundPaymentId,
  type LedgerAccountId,
  type LedgerTransactionId,
  type Mode,
  type ObligationId,
  type PaymentOrderId,
  type ReturnId,
  type TenantId,
} from "../../../contracts/ids/ids.ts";
import type { Caller } from "../../../contracts/message.ts";
import type { OrderStatus } from "../../../contracts/http/payments/payment-order-parts.ts";
import type { PaymentOrder as PaymentOrderView } from "../../../contracts/http/payments/payment-orders.ts";
import type * as rails from "../../../contracts/rails/rails.ts";
import type { ApprovalReason } from "./approval-policy.ts";
import type { NoticeRecord } from "./notice-record.ts";

/** Where an order is in its lifecycle. Callers see only the status that belongs to the phase (`statusOf`). */
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

/** The payment that an order requests. Its terms can't change after submission; approvals are bound to their hash. */
export interface OrderTerms {
  readonly direction: rails.OrderDirection;
  readonly rail: rails.Rail;
  readonly amountCents: number;
  readonly currency: "USD";
  readonly ledgerAccountId: LedgerAccountId;
  readonly ledgerAccountName: string;
  /** The counterparty whose details were copied at submission; null if the details came with the order. */
  readonly counterpartyId: CounterpartyId | null;
  readonly counterpartyName: string | null;
  /** Null for Book, and in a Draft that has none yet. */
  readonly counterpartyAccount: rails.EncryptedAccountNumber | null;
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
  /** The obligation that it pays. Only the ledger can name one. */
  readonly obligationId: ObligationId | null;
}

/** What an order is called and labelled by. It moves no money, so it can still change after the submission. */
export type Annotations = Pick<OrderTerms, "description" | "metadata">;

export interface Approval {
  readonly principal: string;
  /** The time in the book. */
  readonly at: string;
  /** Real time, in a book with a clock of its own: rights to approve begin and end in real time. */
  readonly realAt?: string;
  /** The hash of the terms that were approved. */
  readonly orderHash: string | null;
  /** Set if its principal lost the right to approve after it; it does not count. The hand-off gate keeps it current. */
  readonly isVoid?: true;
}

/** A bank's return. Unique per (order, trace number, code). */
export interface PaymentReturn {
  readonly id: ReturnId;
  readonly code: string;
  readonly reason: string;
  readonly traceNumber: string;
  readonly receivedAt: string;
  readonly late: boolean;
  /** It came after the window of its code. */
  readonly afterWindow?: true;
}

/**
 * Money that the bank moved for an order that was already final: it settled after it had failed or been returned, or
 * it was returned a second time. The order stays as it is; the money goes to Suspense, and a person finds out whose it
 * is.
 */
export interface UnexpectedMovement {
  /** Settlement: in the direction of the order. Return: in the opposite direction. */
  readonly movement: "Settlement" | "Return";
  readonly returnCode: string | null;
  /** Derived from order and movement, so that a movement reported twice is posted once. */
  readonly commandId: string;
  readonly ledgerTransactionId: LedgerTransactionId;
  readonly at: string;
}

/** Who made an order, who must approve it, and who has. */
export interface Approvals {
  /** Set at submission; later only raised (approvals.ts). */
  readonly required: number;
  /** The rules that required as many. Missing if none did, and in orders of before they were recorded. */
  readonly reasons?: readonly ApprovalReason[];
  /** True if every policy since submission has allowed self-approval: a maker's counts, if only one is required. */
  readonly makersMayApprove: boolean;
  /** When it last came to need more approvals while it waited: a policy raised them, or one became void. */
  readonly raisedAt: string | null;
  readonly given: readonly Approval[];
  /** Every principal that created, edited or submitted it. */
  readonly makers: readonly string[];
  /** SHA-256 of the canonical terms; set at submission. */
  readonly orderHash: string | null;
  /** How it was decided. Missing while the order waits for approval, and if it needs none. */
  readonly decision?: NonNullable<PaymentOrderView["approval"]["decision"]>;
}

/** When the money is expected to settle. */
export interface SettlementEstimate {
  readonly cutoff: PaymentOrderView["cutoff"];
  readonly expectedSettlementDate: string | null;
}

/** What the ledger has done for an order, and what it was asked to do. */
export interface LedgerProgress {
  readonly transactionId: LedgerTransactionId | null;
  /** When each command was first sent. A resent command carries that time, so that it is the same command. */
  readonly sentAt: Readonly<
    Partial<Record<"PlaceHold" | "SettleHold" | "ReleaseHold" | "PostLateReturn", string>>
  >;
}

/** What the rail has reported. */
export interface RailProgress {
  readonly reference: rails.RailReference | null;
  /** The highest number of an event that was applied. Events with lower numbers came late and are ignored. */
  readonly eventNumber: number;
  readonly settledAt: string | null;
  /** The banking day on which it settled, if the rail has named it. Missing in orders of before it was recorded. */
  readonly settlementDate?: string | null;
  readonly return: PaymentReturn | null;
  readonly unexpectedMovements: readonly UnexpectedMovement[];
  /** Missing until the first one. */
  readonly notices?: readonly NoticeRecord[];
  /** The inbound payment by which the receiver sent the money back. */
  readonly sentBackBy?: InboundPaymentId;
}

/** Why an order ends without completing, and what operators decided about it. */
export interface Ending {
  readonly failure: PaymentOrderView["failure"];
  readonly cancelReason: string | null;
  /** Who cancelled or denied it. The history names them once the hold is released. */
  readonly cancelledBy: string | null;
  /** The outcome that two operators reported because the rail never answered. */
  readonly resolution: {
    readonly as: "settled" | "failed";
    readonly by: readonly string[];
    readonly evidence: string;
  } | null;
}

export interface Timers {
  /** When it became Pending. The approval deadline counts from `pendingSince` or `raisedAt`, whichever is later. */
  readonly pendingSince: string | null;
  /** How often the current phase has timed out. */
  readonly timeoutCount: number;
}

/** What has happened to an order so far, besides its phase. */
export interface Progress {
  readonly approvals: Approvals;
  readonly estimate: SettlementEstimate;
  readonly ledger: LedgerProgress;
  readonly rail: RailProgress;
  readonly ending: Ending;
  readonly timers: Timers;
  /** Triggers of the events that were applied. The same event again changes nothing. */
  readonly applied: readonly string[];
  /** The New York date whose daily limit its amount counts against; null once it is given back. */
  readonly limitDate: string | null;
  /** The request that created the order. Timeouts continue its trace. */
  readonly cause: { readonly correlationid: string; readonly traceparent?: string | undefined } | null;
}

export interface PaymentOrder {
  readonly id: PaymentOrderId;
  readonly book: BookId;
  readonly tenantId: TenantId;
  readonly mode: Mode;
  readonly phase: Phase;
  readonly status: OrderStatus;
  /** How many status events the order has published. */
  readonly sequence: number;
  readonly terms: OrderTerms;
  /** Those that replaced the terms' own after the submission; null if none did. */
  readonly annotations: Annotations | null;
  readonly progress: Progress;
  /** When the phase times out, in real time; null if it has no timeout, or one on the book's clock. */
  readonly dueAt: Date | null;
  /** The same on the clock of a book that has its own: for what waits for approvals, a window, its rail or returns. */
  readonly dueAtInBook: Date | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A row of the status history. */
export interface StatusChange {
  /** 0 for Draft, the first row of every history; then the sequence of the event that published the change. */
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

/** The status of a phase. While a hold is being released, the order keeps the status that it came from. */
export function statusOf(phase: Phase, cameFrom: OrderStatus): OrderStatus {
  return statusByPhase[phase] ?? cameFrom;
}

/** The progress of a new Draft. */
export function initialProgress(maker: string): Progress {
  return {
    approvals: {
      required: 0,
      makersMayApprove: false,
      raisedAt: null,
      given: [],
      makers: [maker],
      orderHash: null,
    },
    estimate: { cutoff: null, expectedSettlementDate: null },
    ledger: { transactionId: null, sentAt: {} },
    rail: { reference: null, eventNumber: 0, settledAt: null, return: null, unexpectedMovements: [] },
    ending: { failure: null, cancelReason: null, cancelledBy: null, resolution: null },
    timers: { pendingSince: null, timeoutCount: 0 },
    applied: [],
    limitDate: null,
    cause: null,
  };
}

/** A caller's order before its submission. `createdAt` is the time in the id, because lists sort and filter by id. */
export function newDraft(
  id: PaymentOrderId,
  terms: OrderTerms,
  { book, tenant, mode, principal }: Caller,
  cause: Progress["cause"],
): PaymentOrder {
  const now = creationTimeOf(id);
  return {
    id,
    book,
    tenantId: tenant,
    mode,
    phase: "Draft",
    status: "Draft",
    sequence: 0,
    terms,
    annotations: null,
    progress: { ...initialProgress(principal), cause },
    dueAt: null,
    dueAtInBook: null,
    createdBy: principal,
    createdAt: now,
    updatedAt: now,
  };
}
