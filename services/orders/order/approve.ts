import { type ErrorCode, Refusal, refusalCodeOf } from "../../../contracts/errors.ts";
import { applyAll, evaluateGate, unchanged, type Transition } from "./transition.ts";
import {
  changedApprovals,
  countingApprovals,
  hasApproved,
  isOneOf,
  lacksApprovals,
  makerApprovalCounts,
  withApprovals,
} from "./approvals.ts";
import type { BookContext } from "./book-context.ts";
import { approvalExpiresAt, OrderTampered } from "./hand-off-gate.ts";
import type { PaymentOrder, Phase } from "./payment-order.ts";

/**
 * An approval can be given before the hold is placed, unlike a denial, which releases the hold. It counts once the
 * order reaches the gate.
 */
const approvable: readonly Phase[] = ["ReservingFunds", "AwaitingApproval"];

/**
 * Records a principal's approval of the order's terms and, if approvals then suffice, evaluates the hand-off gate. What
 * the policy requires is refreshed first. `shownHash` is the order hash that the principal saw, if the caller sent it.
 * Refusals: `duplicate_approval`, `invalid_state_transition`, `order_changed`, `self_approval_not_allowed`.
 */
export function approve(
  order: PaymentOrder,
  principal: string,
  context: BookContext,
  shownHash?: string,
): Transition {
  return applyAll(order, [
    (stored) => refreshApprovals(stored, context),
    (refreshed) => {
      checkApproval(refreshed, { principal, shownHash }, context);
      const approved = recordApproval(refreshed, principal, context);
      return approved.phase === "AwaitingApproval" ? evaluateGate(approved, context) : unchanged(approved);
    },
  ]);
}

/** The error code that this principal would get from `approve` now; null if the approval would be recorded. */
export function approvalRefusal(
  order: PaymentOrder,
  principal: string,
  context: BookContext,
): ErrorCode | null {
  try {
    return refusalCodeOf(() => approve(order, principal, context));
  } catch (error) {
    // A request about such an order gets this code.
    if (error instanceof OrderTampered) return "internal_error";
    throw error;
  }
}

/**
 * Since the last check the policy may be stricter, or an approver may have lost the right. An order that waits for its
 * window then needs approval again.
 */
function refreshApprovals(order: PaymentOrder, context: BookContext): Transition {
  if (order.phase === "AwaitingWindow") return evaluateGate(order, context);
  if (!approvable.includes(order.phase)) return unchanged(order);
  return unchanged(withApprovals(order, changedApprovals(order, context)));
}

function recordApproval(
  order: PaymentOrder,
  principal: string,
  { now, realNow, hasOwnClock }: BookContext,
): PaymentOrder {
  const { given, orderHash } = order.progress.approvals;
  const approval = {
    principal,
    at: now.toISOString(),
    ...(hasOwnClock ? { realAt: realNow.toISOString() } : {}),
    orderHash,
  };
  return { ...withApprovals(order, { given: [...given, approval] }), updatedAt: realNow };
}

function checkApproval(
  order: PaymentOrder,
  { principal, shownHash }: { readonly principal: string; readonly shownHash: string | undefined },
  book: BookContext,
): void {
  const { approvals } = order.progress;
  const context = {
    currentStatus: order.status,
    required: approvals.required,
    received: countingApprovals(approvals).length,
  };
  // Checked first: a second approval is a duplicate in every phase.
  const isAwaited = approvable.includes(order.phase) && lacksApprovals(approvals);
  if (hasApproved(approvals, principal, book)) {
    const next = isAwaited ? "Another principal must approve it, too." : "It waits for no further approval.";
    const detail = `${principal} has approved this order already. ${next}`;
    throw new Refusal("duplicate_approval", detail, { context });
  }
  if (!isAwaited) {
    const detail = `This order is ${order.status} and waits for no approval.`;
    throw new Refusal("invalid_state_transition", detail, {
      context: { ...context, allowedStatuses: ["Submitted", "Pending"] },
    });
  }
  const expiresAt = approvalExpiresAt(order, book);
  if (expiresAt !== null && expiresAt <= book.now) {
    const detail =
      "The time to approve this order is over, and it is about to be cancelled. Create it again.";
    throw new Refusal("invalid_state_transition", detail, { context });
  }
  if (shownHash !== undefined && shownHash !== approvals.orderHash) {
    const detail =
      "This order's approval.orderHash is not the one that you sent. Read the order, and approve what it shows.";
    throw new Refusal("order_changed", detail, { context });
  }
  if (isOneOf(approvals.makers, principal) && !makerApprovalCounts(approvals)) {
    const detail = `${principal} made this order, so another principal must approve it.`;
    throw new Refusal("self_approval_not_allowed", detail, { context });
  }
}
