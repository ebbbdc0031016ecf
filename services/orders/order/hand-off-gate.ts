import {
  addBankingDays,
  endOfDate,
  newYorkDate,
  startOfDate,
  windowAt,
} from "../../../contracts/rails/banking-calendar.ts";
import { changedApprovals, lacksApprovals } from "./approvals.ts";
import type { BookContext } from "./book-context.ts";
import { cutoffWhileClosed, estimateSettlement } from "./settlement-estimate.ts";
import type { OwnTrigger } from "./lifecycle.ts";
import { orderHash } from "./order-hash.ts";
import type { Approvals, PaymentOrder, SettlementEstimate } from "./payment-order.ts";

const hourMs = 3_600_000;

/**
 * The terms of an order changed after its submission. It is never handed off, and a person must look: the phase
 * timeouts log this error.
 */
export class OrderTampered extends Error {
  override readonly name = "OrderTampered";
}

export interface HandOffDecision {
  /** Null if the order stays in its phase. */
  readonly trigger: OwnTrigger | null;
  /** What has changed about the order's approvals. */
  readonly changed: Partial<Approvals>;
  readonly estimate?: Partial<SettlementEstimate>;
  /** When to ask the gate again: at an opening, at the approval deadline, or within an hour while approvals lack. */
  readonly decidesAgainAt?: Date;
}

/**
 * Decides whether an order may go to its rail: the only way into HandingOff. Checks hash, basis, approvals, tenant,
 * book, effective date and window. A stricter policy raises the required approvals; a looser one never lowers them. An
 * approval counts only while its principal may approve. The approval deadline comes from the current policy. Throws
 * `OrderTampered`.
 */
export function decideHandOff(order: PaymentOrder, context: BookContext): HandOffDecision {
  const { terms, progress } = order;
  if (progress.approvals.orderHash !== orderHash(terms) || terms.basis !== "Actual") {
    throw new OrderTampered(`order ${order.id} is not the order that was submitted`);
  }
  const changed = changedApprovals(order, context);
  const approvals = { ...progress.approvals, ...changed };
  if (lacksApprovals(approvals)) {
    if (order.phase === "AwaitingWindow") return { trigger: "GateNeedsApproval", changed };
    return whileUnapproved(order, changed, context);
  }
  // Orders of a suspended tenant or a frozen book are not handed off. BookStatus makes them due when that is over.
  if (!context.tenantActive || context.bookFrozen) return { trigger: null, changed };
  // The caller asked for this date, so it counts with the Instant clock too.
  if (terms.effectiveDate !== null && newYorkDate(context.now) < terms.effectiveDate) {
    return { ...awaitWindow(order), changed, decidesAgainAt: startOfDate(terms.effectiveDate) };
  }
  const window = windowOf(order, context);
  // The estimate becomes binding: the order goes out in this window.
  if (window.open) return { trigger: "GateOpened", changed, estimate: estimateSettlement(order, context) };
  const reason = approvedLate(order, window.cutoffAt) ? "ApprovedLate" : window.reason;
  const cutoff = cutoffWhileClosed(order, window, reason);
  return {
    ...awaitWindow(order),
    changed,
    estimate: { cutoff },
    decidesAgainAt: window.nextWindowOpensAt,
  };
}

/** With the Instant clock, windows are always open. */
function windowOf({ terms: { rail } }: PaymentOrder, { clock, now }: BookContext) {
  return clock === "Instant" ? ({ open: true } as const) : windowAt(rail, now);
}

/**
 * Whether an instruction that never reached its rail may be sent again now: the tenant is active, the book is not
 * frozen, and the rail is open. The approvals with which the order was handed off still count.
 */
export function mayBeHandedOffAgain(order: PaymentOrder, context: BookContext): boolean {
  return context.tenantActive && !context.bookFrozen && windowOf(order, context).open;
}

/** When the order's rail opens next; null while it takes instructions. */
export function nextOpeningFor(order: PaymentOrder, context: BookContext): Date | null {
  const window = windowOf(order, context);
  return window.open ? null : window.nextWindowOpensAt;
}

function awaitWindow({ phase }: PaymentOrder): Pick<HandOffDecision, "trigger"> {
  return { trigger: phase === "AwaitingWindow" ? null : "GateNeedsWindow" };
}

/**
 * Asks again within an hour, although only the deadline changes anything: a change of the policy makes waiting orders
 * due, but skips those that are locked at that moment. Not in a Manual book, where each hour would be a step of an
 * advance.
 */
function whileUnapproved(
  order: PaymentOrder,
  changed: Partial<Approvals>,
  context: BookContext,
): HandOffDecision {
  const expiresAt = approvalDeadline(order, { ...order.progress.approvals, ...changed }, context);
  if (expiresAt === null) return { trigger: null, changed };
  if (expiresAt <= context.now) return { trigger: "ApprovalExpired", changed };
  if (context.clock === "Manual") return { trigger: null, changed, decidesAgainAt: expiresAt };
  const decidesAgainAt = new Date(Math.min(expiresAt.getTime(), context.now.getTime() + hourMs));
  return { trigger: null, changed, decidesAgainAt };
}

/** When the gate cancels an order because nobody approved it, in the time of the book; null if it waits for nobody. */
export function approvalExpiresAt(order: PaymentOrder, context: BookContext): Date | null {
  if (order.phase !== "AwaitingApproval") return null;
  const approvals = { ...order.progress.approvals, ...changedApprovals(order, context) };
  return lacksApprovals(approvals) ? approvalDeadline(order, approvals, context) : null;
}

/** Counted from when the order became Pending, or last came to need more approvals (`Approvals.raisedAt`). */
function approvalDeadline(order: PaymentOrder, { raisedAt }: Approvals, context: BookContext): Date | null {
  const { pendingSince } = order.progress.timers;
  if (pendingSince === null) return null;
  const since = Math.max(Date.parse(pendingSince), Date.parse(raisedAt ?? pendingSince));
  return new Date(since + context.policy.approvalExpiresAfterHours * hourMs);
}

/** The order was ready before the cutoff, but its last approval came after it. */
function approvedLate({ progress: { approvals, timers } }: PaymentOrder, cutoffAt: Date): boolean {
  const { pendingSince } = timers;
  const lastApproval = approvals.given.at(-1);
  return (
    pendingSince !== null &&
    lastApproval !== undefined &&
    Date.parse(pendingSince) < cutoffAt.getTime() &&
    Date.parse(lastApproval.at) >= cutoffAt.getTime()
  );
}

/**
 * When a settled ACH order has waited `completesAfterBankingDays`: the first instant in New York after that banking
 * day, counted from the settlement date that the rail named, or else from when we received it. Null if it has not
 * settled.
 */
export function completionDelayEndsAt(order: PaymentOrder, context: BookContext): Date | null {
  if (context.clock === "Instant") return context.now;
  const { settledAt, settlementDate } = order.progress.rail;
  if (settledAt === null) return null;
  const settledOn = settlementDate ?? newYorkDate(new Date(settledAt));
  return endOfDate(addBankingDays(settledOn, context.completesAfterBankingDays));
}
