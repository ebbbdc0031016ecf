import { type ApprovalPolicy, approvalsRequired } from "./approval-policy.ts";
import type { Approval, OrderTerms, PaymentOrder, Progress } from "./payment-order.ts";

type Requirements = Pick<Progress, "approvalsRequired" | "makersMayApprove">;

/** What an order needs of its approvers under a policy: set at submission, only ever raised afterwards. */
export function requirementsUnder(terms: OrderTerms, policy: ApprovalPolicy): Requirements {
  return {
    approvalsRequired: approvalsRequired(terms, policy),
    makersMayApprove: policy.allowSelfApproval,
  };
}

/** What a stricter policy changes of an order's needs; nothing where it is not stricter, for it never lowers them. */
export function raisedRequirements(
  { terms, progress }: PaymentOrder,
  policy: ApprovalPolicy,
  now: Date,
): Partial<Progress> {
  const needs = requirementsUnder(terms, policy);
  const raised: Requirements = {
    approvalsRequired: Math.max(progress.approvalsRequired, needs.approvalsRequired),
    makersMayApprove: progress.makersMayApprove === true && needs.makersMayApprove === true,
  };
  const same =
    raised.approvalsRequired === progress.approvalsRequired &&
    raised.makersMayApprove === (progress.makersMayApprove === true);
  return same ? {} : { ...raised, raisedAt: now.toISOString() };
}

/**
 * The approvals that count: one per principal, of the order exactly as it is frozen. A maker's counts only where one
 * approval is enough and every policy since submission has allowed it; never as one of two.
 */
export function countingApprovals(progress: Progress): readonly Approval[] {
  const principals = new Set<string>();
  return progress.approvals.filter(({ principal, orderHash }) => {
    if (orderHash !== undefined && orderHash !== progress.orderHash) return false;
    if (progress.makers.includes(principal) && !makerMayApprove(progress)) return false;
    if (principals.has(principal)) return false;
    principals.add(principal);
    return true;
  });
}

export function makerMayApprove({ approvalsRequired: required, makersMayApprove }: Requirements): boolean {
  return makersMayApprove === true && required < 2;
}

/** Whether a principal is still to approve it. */
export function lacksApprovals(progress: Progress): boolean {
  return countingApprovals(progress).length < progress.approvalsRequired;
}
