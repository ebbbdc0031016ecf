/** What an order shows of its approvals. */
import type { PaymentOrder as PaymentOrderView } from "../../../contracts/http/payments/payment-orders.ts";
import type { ApprovalReason } from "./approval-policy.ts";
import { changedApprovals, countingApprovals, evaluatedApprovals, withApprovals } from "./approvals.ts";
import { approvalRefusal } from "./approve.ts";
import { dollars } from "./dollars.ts";
import type { BookContext } from "./book-context.ts";
import { approvalExpiresAt } from "./hand-off-gate.ts";
import type { PaymentOrder } from "./payment-order.ts";

type ApprovalView = PaymentOrderView["approval"];

/** Who reads an order that waits for approval. */
export interface Reader {
  readonly principal: string;
  /** Whether the caller holds the scope with which orders are approved. */
  readonly mayApprove: boolean;
}

/** What is the same for everybody, and until the order changes. */
export function approvalOf({ terms, progress: { approvals } }: PaymentOrder): ApprovalView {
  const { required, orderHash, makers, reasons = [] } = approvals;
  return {
    required,
    received: countingApprovals(approvals).length,
    approvals: evaluatedApprovals(approvals).map(({ approval: { principal, at }, notCountedReason }) => ({
      principal,
      at,
      counts: notCountedReason === null,
      notCountedReason,
    })),
    orderHash,
    makers: [...makers],
    reasons: reasons.map((reason) => ({ ...reason, detail: reasonInWords(reason, terms) })),
    expiresAt: null,
    mine: null,
    decision: approvals.decision ?? null,
  };
}

/**
 * The approvals as the hand-off gate would count them now, what an approval of this reader would come to, and until
 * when it can be given.
 */
export function approvalNow(
  order: PaymentOrder,
  { principal, mayApprove }: Reader,
  context: BookContext,
): ApprovalView {
  if (order.phase !== "AwaitingApproval") return approvalOf(order);
  const code = mayApprove ? approvalRefusal(order, principal, context) : "insufficient_scope";
  return {
    ...approvalOf(withApprovals(order, changedApprovals(order, context))),
    expiresAt: approvalExpiresAt(order, context)?.toISOString() ?? null,
    mine: { allowed: code === null, code },
  };
}

function reasonInWords(
  { rule, approvals, thresholdCents }: ApprovalReason,
  { rail }: PaymentOrder["terms"],
): string {
  const need = approvals === 1 ? "need one approval" : "need two approvals";
  if (rule === "dualApprovalRails") return `Orders on ${rail} ${need}.`;
  return thresholdCents === null ? `All orders ${need}.` : `Orders above ${dollars(thresholdCents)} ${need}.`;
}
