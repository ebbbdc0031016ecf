import { type ApprovalPolicy, approvalsRequired } from "./approval-policy.ts";
import type { Approval, OrderTerms, PaymentOrder, Progress } from "./payment-order.ts";

type Requirements = Pick<Progress, "approvalsRequired" | "makersMayApprove">;

/** The approvals that a policy requires of an order. Set at submission; later only raised. */
export function requirementsUnder(terms: OrderTerms, policy: ApprovalPolicy): Requirements {
  return {
    approvalsRequired: approvalsRequired(terms, policy),
    makersMayApprove: policy.allowSelfApproval,
  };
}

/** The requirements of an order that a stricter policy raises; empty if it raises none. It never lowers any. */
export function raisedRequirements(
  { terms, progress }: PaymentOrder,
  policy: ApprovalPolicy,
  now: Date,
): Partial<Progress> {
  const required = requirementsUnder(terms, policy);
  const raised: Requirements = {
    approvalsRequired: Math.max(progress.approvalsRequired, required.approvalsRequired),
    makersMayApprove: progress.makersMayApprove && required.makersMayApprove,
  };
  const same =
    raised.approvalsRequired === progress.approvalsRequired &&
    raised.makersMayApprove === progress.makersMayApprove;
  return same ? {} : { ...raised, raisedAt: now.toISOString() };
}

/**
 * The approvals that count: one per principal, each for the terms as they are. A maker's own approval counts only if
 * one is enough and every policy since submission has allowed it; never as one of two.
 */
export function countingApprovals(progress: Progress): readonly Approval[] {
  const principals = new Set<string>();
  return progress.approvals.filter(({ principal, orderHash }) => {
    if (orderHash !== progress.orderHash) return false;
    if (progress.makers.includes(principal) && !makerMayApprove(progress)) return false;
    if (principals.has(principal)) return false;
    principals.add(principal);
    return true;
  });
}

export function makerMayApprove({ approvalsRequired: count, makersMayApprove }: Requirements): boolean {
  return makersMayApprove && count < 2;
}

/** Whether the order still needs an approval. */
export function lacksApprovals(progress: Progress): boolean {
  return countingApprovals(progress).length < progress.approvalsRequired;
}
