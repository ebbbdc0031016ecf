import { Refusal } from "../../../contracts/errors.ts";
import { type Transition, evaluateGate } from "./transition.ts";
import { countingApprovals, lacksApprovals, makerMayApprove, raisedRequirements } from "./approvals.ts";
import type { BookContext } from "./release-gate.ts";
import type { Phase } from "./payment-order.ts";

/** An approval may be given before the hold is placed; it counts when the gate is reached. */
const approvable: readonly Phase[] = ["ReservingFunds", "AwaitingApproval"];

/**
 * Records a principal's approval of the order as it is frozen and, when approvals suffice, passes the gate. What is
 * needed is looked up again first. Throws `Refusal`: `duplicate_approval`, `invalid_state_transition`,
 * `self_approval_not_allowed`.
 */
export function approve(advance: Transition, principal: string, context: BookContext): void {
  refreshRequirements(advance, context);
  checkApproval(advance, principal);
  const { progress } = advance.order;
  const approval = { principal, at: context.now.toISOString(), orderHash: progress.orderHash };
  advance.order = {
    ...advance.order,
    updatedAt: context.now,
    progress: { ...progress, approvals: [...progress.approvals, approval] },
  };
  if (advance.order.phase === "AwaitingApproval") evaluateGate(advance, context);
}

/** A policy may have been raised since anybody looked; an order that waits for its window goes back then. */
function refreshRequirements(advance: Transition, context: BookContext): void {
  const { order } = advance;
  if (order.phase === "AwaitingWindow") evaluateGate(advance, context);
  if (!approvable.includes(order.phase)) return;
  const raised = raisedRequirements(order, context.policy, context.now);
  advance.order = { ...order, progress: { ...order.progress, ...raised } };
}

function checkApproval({ order }: Transition, principal: string): void {
  const { progress } = order;
  const context = {
    currentStatus: order.status,
    required: progress.approvalsRequired,
    received: countingApprovals(progress).length,
  };
  // The same principal twice is told so whatever has become of the order since.
  if (progress.approvals.some((approval) => approval.principal === principal)) {
    const detail = `${principal} has approved this order already; another principal must.`;
    throw new Refusal("duplicate_approval", detail, { context });
  }
  if (!approvable.includes(order.phase) || !lacksApprovals(progress)) {
    const detail = `This order is ${order.status} and waits for no approval.`;
    throw new Refusal("invalid_state_transition", detail, {
      context: { ...context, allowedStatuses: ["Submitted", "Pending"] },
    });
  }
  if (progress.makers.includes(principal) && !makerMayApprove(progress)) {
    const detail = `${principal} made this order, so another principal must approve it.`;
    throw new Refusal("self_approval_not_allowed", detail, { context });
  }
}
