import type { ApprovalPolicy as PolicyBody } from "../../../contracts/http/payments/approval-policies.ts";
import { type Rail, rails } from "../../../contracts/rails/rails.ts";

/**
 * A book's controls on orders, and one on ledger transactions, which the ledger enforces. A threshold or limit applies
 * above its amount, not at it.
 */
export type ApprovalPolicy = Readonly<Omit<PolicyBody, "dualApprovalRails">> & {
  readonly dualApprovalRails: readonly Rail[];
};

/** The policy of a book that has set none. Wires need two approvals by default. */
export const defaultApprovalPolicy: ApprovalPolicy = {
  requireApprovalForAll: false,
  approvalThresholdCents: 1_000_000,
  dualApprovalThresholdCents: 5_000_000,
  dualApprovalRails: ["Wire"],
  allowSelfApproval: false,
  requireVerifiedCounterparty: false,
  requireApprovalForLedgerTransactions: false,
  dailyLimitCents: null,
  approvalExpiresAfterHours: 72,
};

/** A stored policy. A member that is missing in it has its default. */
export function policyOf(stored: Partial<ApprovalPolicy> | null): ApprovalPolicy {
  return stored === null ? defaultApprovalPolicy : { ...defaultApprovalPolicy, ...stored };
}

type Member = keyof ApprovalPolicy;

/**
 * Whether `next` is looser than `now`: an order that `now` would refuse, or keep waiting for a principal, could pass
 * under `next`. A member that is missing here does not compile.
 */
const isLooser: { readonly [M in Member]: (next: ApprovalPolicy[M], now: ApprovalPolicy[M]) => boolean } = {
  requireApprovalForAll: (next, now) => now && !next,
  approvalThresholdCents: (next, now) => next > now,
  dualApprovalThresholdCents: (next, now) => next > now,
  dualApprovalRails: (next, now) => now.some((rail) => !next.includes(rail)),
  allowSelfApproval: (next, now) => next && !now,
  requireVerifiedCounterparty: (next, now) => now && !next,
  requireApprovalForLedgerTransactions: (next, now) => now && !next,
  dailyLimitCents: (next, now) => now !== null && (next === null || next > now),
  // With a longer deadline, an order that would have been cancelled can still be approved.
  approvalExpiresAfterHours: (next, now) => next > now,
};

/** The members that `next` loosens compared with the policy in force; empty if each is equal or tighter. */
export function loosenedMembers(next: ApprovalPolicy, now: ApprovalPolicy): Member[] {
  const loosens = <M extends Member>(member: M) => isLooser[member](next[member], now[member]);
  return (Object.keys(isLooser) as Member[]).filter((member) => loosens(member));
}

/** Whether both say the same. By value: a change that is neither looser nor tighter is a change too. */
export function isSamePolicy(one: ApprovalPolicy, other: ApprovalPolicy): boolean {
  const members = Object.keys(isLooser) as Member[];
  const [a, b] = [canonicalPolicy(one), canonicalPolicy(other)];
  return members.every((member) => JSON.stringify(a[member]) === JSON.stringify(b[member]));
}

/** The policy in canonical form: each rail once, in the order of `rails`. */
export function canonicalPolicy(policy: ApprovalPolicy): ApprovalPolicy {
  return { ...policy, dualApprovalRails: rails.filter((rail) => policy.dualApprovalRails.includes(rail)) };
}

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
