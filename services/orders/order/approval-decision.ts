import type { ApprovalOutcome } from "../../../contracts/http/payments/payment-order-parts.ts";
import { countingApprovals } from "./approvals.ts";
import type { Trigger } from "./lifecycle.ts";
import type { Approvals, PaymentOrder } from "./payment-order.ts";

/** How a step out of AwaitingApproval decides an order that needs approvals. */
const outcomes: Readonly<Partial<Record<Trigger, ApprovalOutcome>>> = {
  GateOpened: "Approved",
  GateNeedsWindow: "Approved",
  Deny: "Denied",
  Cancel: "Cancelled",
  ApprovalExpired: "Expired",
};

/**
 * The order's approvals after a step, with the decision if the step decides the order. The decision is dropped if the
 * order comes to wait for approval again. An order that needs no approval gets none: the index of decisions lacks it.
 */
export function approvalsAfter(
  { phase, progress: { approvals } }: PaymentOrder,
  trigger: Trigger,
  actor: string,
  now: Date,
): Approvals {
  if (approvals.required === 0) return approvals;
  if (trigger === "GateNeedsApproval") {
    const { decision: _dropped, ...undecided } = approvals;
    return undecided;
  }
  const outcome = phase === "AwaitingApproval" ? outcomes[trigger] : undefined;
  if (outcome === undefined) return approvals;
  const last = outcome === "Approved" ? countingApprovals(approvals).at(-1) : undefined;
  return {
    ...approvals,
    decision: {
      outcome,
      decidedBy: outcome === "Expired" ? null : (last?.principal ?? actor),
      // If a frozen book held the approved order back, it was still decided by the last approval.
      decidedAt: last?.at ?? now.toISOString(),
    },
  };
}
