import { Refusal } from "../../../contracts/errors.ts";
import type { InboundPayment } from "../../../contracts/http/ledger/inbound-payments.ts";
import type { LedgerAccountId } from "../../../contracts/ids/ids.ts";
import { isSamePrincipal } from "../../../contracts/text/principals.ts";
import { needsApproval, requireAnothersProposal } from "../transactions/require-approval.ts";
import type { TransactionPolicy } from "../transactions/store/transaction-policies.ts";

export interface Assigning {
  readonly ledgerAccountId: LedgerAccountId;
  readonly principal: string;
  readonly mayApprove: boolean;
  readonly mayWrite: boolean;
}

/** True if another principal has proposed to assign the payment to this account. */
export function isApprovalOf(
  { proposedAssignment: proposal }: InboundPayment,
  { ledgerAccountId, principal }: Assigning,
): boolean {
  return proposal?.ledgerAccountId === ledgerAccountId && !isSamePrincipal(proposal.proposedBy, principal);
}

/**
 * True if the request only proposes: the approval policy lets nobody move the amount alone, and nobody else has
 * proposed this account. Refusals: `self_approval_not_allowed` to whoever proposed it; `insufficient_scope`, also to a
 * caller who may only approve, unless another principal has proposed exactly this.
 */
export function isProposal(
  payment: InboundPayment,
  policy: TransactionPolicy | undefined,
  by: Assigning,
): boolean {
  const { amountCents, proposedAssignment: proposal } = payment;
  if (!by.mayWrite) {
    const isOfThisAccount = proposal?.ledgerAccountId === by.ledgerAccountId;
    requireAnothersProposal({ ...by, proposedBy: isOfThisAccount ? proposal.proposedBy : null });
  }
  if (!needsApproval(policy, [{ direction: "Debit", amountCents }])) return false;
  if (proposal?.ledgerAccountId !== by.ledgerAccountId) return true;
  if (!isApprovalOf(payment, by)) {
    throw new Refusal(
      "self_approval_not_allowed",
      `${proposal.proposedBy} proposed this assignment, so another principal with orders:approve must make it: by an assign to the same account.`,
    );
  }
  if (by.mayApprove) return false;
  throw new Refusal(
    "insufficient_scope",
    "The book's approval policy requires an approver for this amount: assign it as a principal with the scope orders:approve.",
    { context: { requiredScope: "orders:approve" } },
  );
}
