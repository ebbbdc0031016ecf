import type { Rail } from "../../../contracts/rails.ts";

/** A book's controls on approvals. Amounts in cents; both thresholds must be exceeded, not reached. */
export interface ApprovalPolicy {
  readonly requireApprovalForAll: boolean;
  readonly approvalThresholdCents: number;
  readonly dualApprovalThresholdCents: number;
  readonly dualApprovalRails: readonly Rail[];
  readonly allowSelfApproval: boolean;
  readonly approvalExpiresAfterHours: number;
}

/** What holds for a book that has set nothing else. Wires are dual-approval by default (specification, Limits). */
export const defaultApprovalPolicy: ApprovalPolicy = {
  requireApprovalForAll: false,
  approvalThresholdCents: 1_000_000,
  dualApprovalThresholdCents: 5_000_000,
  dualApprovalRails: ["Wire"],
  allowSelfApproval: false,
  approvalExpiresAfterHours: 72,
};

/** How many principals must approve: 0, 1 or 2. */
export function approvalsRequired(
  order: { rail: Rail; amountCents: number },
  policy: ApprovalPolicy,
): 0 | 1 | 2 {
  if (policy.dualApprovalRails.includes(order.rail)) return 2;
  if (order.amountCents > policy.dualApprovalThresholdCents) return 2;
  if (policy.requireApprovalForAll || order.amountCents > policy.approvalThresholdCents) return 1;
  return 0;
}

/** Whether a maker's own approval counts: never when two are needed, else only where the policy says so. */
export function makerMayApprove(required: number, policy: ApprovalPolicy): boolean {
  return policy.allowSelfApproval && required < 2;
}
