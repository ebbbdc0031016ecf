import { addBankingDays, newYorkDate, windowAt } from "../../../contracts/rails/banking-calendar.ts";
import type { ApprovalPolicy } from "./approval-policy.ts";
import { lacksApprovals, raisedRequirements } from "./approvals.ts";
import { estimateSettlement } from "./settlement-estimate.ts";
import type { OwnTrigger } from "./lifecycle.ts";
import { orderHash } from "./order-hash.ts";
import type { PaymentOrder, Progress } from "./payment-order.ts";

/** What the gate and the clock need to know of the world outside the order. */
export interface BookContext {
  readonly now: Date;
  /** Instant: windows stand open and return windows are over at once. Real: New York's. */
  readonly clock: "Instant" | "Real";
  readonly policy: ApprovalPolicy;
  readonly tenantActive: boolean;
  /** The ledger examines the book and appends nothing to it. */
  readonly bookFrozen: boolean;
  /** Banking days that a settled ACH order waits for returns. */
  readonly completesAfterBankingDays: number;
}

/** The fields of an order were changed behind its approvals: it never moves, and a person looks. */
export class OrderTampered extends Error {
  override readonly name = "OrderTampered";
  /** Trying again changes nothing: the event that met it is dead-lettered at once. */
  readonly permanent = true;
}

export interface ReleaseDecision {
  /** Null: the order stays where it is. */
  readonly trigger: OwnTrigger | null;
  readonly progress: Partial<Progress>;
}

/**
 * The one way into HandingOff. Checks again what submission checked: policy, hash, basis, window, tenant. A policy
 * that was raised meanwhile counts; a lowered one never does. Nothing passes before its effective date. Throws
 * `OrderTampered`.
 */
export function decideRelease(order: PaymentOrder, context: BookContext): ReleaseDecision {
  const { terms, progress } = order;
  if (progress.orderHash !== orderHash(terms) || terms.basis !== "Actual") {
    throw new OrderTampered(`order ${order.id} is not the order that was submitted`);
  }
  const raised = raisedRequirements(order, context.policy, context.now);
  const needs = { ...progress, ...raised };
  if (lacksApprovals(needs)) {
    if (order.phase === "AwaitingWindow") return { trigger: "GateNeedsApproval", progress: raised };
    return { trigger: hasExpired(needs, context) ? "ApprovalExpired" : null, progress: raised };
  }
  // A suspended tenant's money stays where it is, and so does a frozen book's; the chaser asks again.
  if (!context.tenantActive || context.bookFrozen) return { trigger: null, progress: raised };
  // Not before its date, in an Instant book neither: that is what the caller asked for.
  if (terms.effectiveDate !== null && newYorkDate(context.now) < terms.effectiveDate) {
    return { trigger: order.phase === "AwaitingWindow" ? null : "GateNeedsWindow", progress: raised };
  }
  const window = context.clock === "Instant" ? ({ open: true } as const) : windowAt(terms.rail, context.now);
  // What was an estimate is now binding: an order that waited goes out in this window.
  if (window.open)
    return { trigger: "GateOpened", progress: { ...raised, ...estimateSettlement(order, context) } };
  const cutoff = {
    missed: true,
    cutoffAt: window.cutoffAt.toISOString(),
    nextWindowOpensAt: window.nextWindowOpensAt.toISOString(),
    reason: approvedLate(order, window.cutoffAt) ? ("ApprovedLate" as const) : window.reason,
  };
  return {
    trigger: order.phase === "AwaitingWindow" ? null : "GateNeedsWindow",
    progress: { ...raised, cutoff },
  };
}

/** Counted from when the order began to wait, or from when a policy last raised what it needs. */
function hasExpired({ pendingSince, raisedAt }: Progress, context: BookContext): boolean {
  if (pendingSince === null) return false;
  const since = Math.max(Date.parse(pendingSince), Date.parse(raisedAt ?? pendingSince));
  return context.now.getTime() >= since + context.policy.approvalExpiresAfterHours * 3_600_000;
}

/** It was there before the cutoff, but its last approval was not. */
function approvedLate(order: PaymentOrder, cutoffAt: Date): boolean {
  const { pendingSince, approvals } = order.progress;
  const lastApproval = approvals.at(-1);
  return (
    pendingSince !== null &&
    lastApproval !== undefined &&
    Date.parse(pendingSince) < cutoffAt.getTime() &&
    Date.parse(lastApproval.at) >= cutoffAt.getTime()
  );
}

/** Whether a settled ACH order may complete: its return window is over. */
export function returnWindowIsOver(order: PaymentOrder, context: BookContext): boolean {
  if (context.clock === "Instant" || order.progress.settledAt === null) return context.clock === "Instant";
  const settledOn = newYorkDate(new Date(order.progress.settledAt));
  return newYorkDate(context.now) > addBankingDays(settledOn, context.completesAfterBankingDays);
}
