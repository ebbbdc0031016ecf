import type {
  ApprovalPolicy as PolicyBody,
  ApprovalPolicyPut,
} from "../../../contracts/http/payments/approval-policies.ts";
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

/** The policy that a PUT with this body puts into force. */
export function nextPolicy(
  { requireApprovalForLedgerTransactions: asked, ...rest }: ApprovalPolicyPut,
  now: ApprovalPolicy,
): ApprovalPolicy {
  const requireApprovalForLedgerTransactions = asked ?? now.requireApprovalForLedgerTransactions;
  return canonicalPolicy({ ...rest, requireApprovalForLedgerTransactions });
}

export type Member = keyof ApprovalPolicy;

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

/** A rule of a policy by which an order needs approvals, with the amount above which it applied. */
export interface ApprovalReason {
  readonly rule: Extract<
    Member,
    "dualApprovalRails" | "dualApprovalThresholdCents" | "requireApprovalForAll" | "approvalThresholdCents"
  >;
  readonly approvals: 1 | 2;
  readonly thresholdCents: number | null;
}

/** The rules by which an order needs as many approvals as it does: none, or all that ask for the most. */
export function approvalReasons(
  { rail, amountCents }: { rail: Rail; amountCents: number },
  policy: ApprovalPolicy,
): readonly ApprovalReason[] {
  const { dualApprovalThresholdCents, approvalThresholdCents } = policy;
  const forTwo: ApprovalReason[] = [];
  if (policy.dualApprovalRails.includes(rail))
    forTwo.push({ rule: "dualApprovalRails", approvals: 2, thresholdCents: null });
  if (amountCents > dualApprovalThresholdCents)
    forTwo.push({
      rule: "dualApprovalThresholdCents",
      approvals: 2,
      thresholdCents: dualApprovalThresholdCents,
    });
  if (forTwo.length > 0) return forTwo;
  const forOne: ApprovalReason[] = [];
  if (policy.requireApprovalForAll)
    forOne.push({ rule: "requireApprovalForAll", approvals: 1, thresholdCents: null });
  if (amountCents > approvalThresholdCents)
    forOne.push({ rule: "approvalThresholdCents", approvals: 1, thresholdCents: approvalThresholdCents });
  return forOne;
}

/** How many principals must approve: 0, 1 or 2. */
export function approvalsRequired(
  order: { rail: Rail; amountCents: number },
  policy: ApprovalPolicy,
): 0 | 1 | 2 {
  return approvalReasons(order, policy)[0]?.approvals ?? 0;
}
