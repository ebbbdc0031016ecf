/** What another approval policy would change, before it is put into force. */
import type {
  ApprovalPolicyPreview,
  TouchedOrder,
} from "../../../contracts/http/payments/approval-policies.ts";
import { type ApprovalPolicy, isSamePolicy, loosenedMembers, type Member } from "./approval-policy.ts";
import { changedApprovals, countingApprovals, withApprovals } from "./approvals.ts";
import { dollars } from "./dollars.ts";
import type { BookContext } from "./book-context.ts";
import { approvalExpiresAt } from "./hand-off-gate.ts";
import type { PaymentOrder } from "./payment-order.ts";

type Effects = Pick<ApprovalPolicyPreview, "outcome" | "changes">;

/** What the PUT of `next` would do, and to which fields. */
export function effectsOf(next: ApprovalPolicy, now: ApprovalPolicy): Effects {
  const loosened = loosenedMembers(next, now);
  // The members in which the policy in force is looser than the next one.
  const tightened = loosenedMembers(now, next);
  const changes = (Object.keys(inWords) as Member[])
    .map((field) => ({
      field,
      loosens: loosened.includes(field),
      tightens: tightened.includes(field),
      before: wordsOf(field, now),
      after: wordsOf(field, next),
    }))
    .filter(({ loosens, tightens }) => loosens || tightens);
  if (isSamePolicy(next, now)) return { outcome: "Unchanged", changes };
  return { outcome: loosened.length > 0 ? "Proposed" : "InForce", changes };
}

/** What the policy would do to an order that waits, as the hand-off gate would find it. */
export function touchedBy(next: ApprovalPolicy, order: PaymentOrder, context: BookContext): TouchedOrder {
  const under = (policy: ApprovalPolicy, of: PaymentOrder) =>
    withApprovals(of, changedApprovals(of, { ...context, policy }));
  const before = under(context.policy, order);
  const after = under(next, before);
  const { id, terms } = order;
  return {
    id,
    rail: terms.rail,
    amountCents: terms.amountCents,
    currency: terms.currency,
    counterpartyName: terms.counterpartyName,
    required: {
      before: before.progress.approvals.required,
      after: after.progress.approvals.required,
    },
    missing: { before: missingIn(before), after: missingIn(after) },
    expiresAt: approvalExpiresAt(after, { ...context, policy: next })?.toISOString() ?? null,
  };
}

function missingIn({ progress: { approvals } }: PaymentOrder): number {
  return Math.max(0, approvals.required - countingApprovals(approvals).length);
}

const inWords: { readonly [M in Member]: (value: ApprovalPolicy[M]) => string } = {
  requireApprovalForAll: (all) =>
    all ? "Every order needs an approval." : "Orders below the thresholds need no approval.",
  approvalThresholdCents: (cents) => `Orders above ${dollars(cents)} need one approval.`,
  dualApprovalThresholdCents: (cents) => `Orders above ${dollars(cents)} need two approvals.`,
  dualApprovalRails: (rails) =>
    rails.length === 0
      ? "No rail always needs two approvals."
      : `Orders on ${rails.join(", ")} need two approvals.`,
  allowSelfApproval: (allowed) =>
    allowed
      ? "A maker may approve an order that needs one approval."
      : "No maker may approve their own order.",
  requireVerifiedCounterparty: (required) =>
    required
      ? "Orders must name a verified counterparty."
      : "Orders may go to counterparties that nobody verified.",
  requireApprovalForLedgerTransactions: (required) =>
    required
      ? "Ledger transactions above the threshold need a second principal."
      : "Ledger transactions need no second principal.",
  dailyLimitCents: (cents) =>
    cents === null ? "Credits have no daily limit." : `Credits may add up to ${dollars(cents)} a day.`,
  approvalExpiresAfterHours: (hours) =>
    `Orders that wait for approval are cancelled after ${String(hours)} ${hours === 1 ? "hour" : "hours"}.`,
};

function wordsOf<M extends Member>(field: M, policy: ApprovalPolicy): string {
  return inWords[field](policy[field]);
}
