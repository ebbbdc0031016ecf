import { Refusal } from "../../../contracts/errors.ts";
import type { LedgerTransaction } from "../../../contracts/http/ledger/ledger-transactions.ts";
import { isSamePrincipal } from "../../../contracts/text/principals.ts";
import type { TransactionPolicy } from "./store/transaction-policies.ts";

type Entries = readonly Pick<LedgerTransaction["entries"][number], "direction" | "amountCents">[];

/** What a transaction moves, in cents: the sum of its debits. */
export function movedCents(entries: Entries): number {
  return entries
    .filter(({ direction }) => direction === "Debit")
    .reduce((sum, { amountCents }) => sum + amountCents, 0);
}

/** Whether a transaction is above the threshold of a policy that requires approvals. */
export function needsApproval(policy: TransactionPolicy | undefined, entries: Entries): boolean {
  return policy?.approvalRequired === true && movedCents(entries) > policy.thresholdCents;
}

/** The refusal of a transaction that is to be posted at once, but needs an approval. */
export function approvalRequired({ thresholdCents }: TransactionPolicy): Refusal {
  const message = "must be Pending above the policy's approvalThresholdCents";
  return new Refusal(
    "approval_required",
    "The book's approval policy lets nobody post this amount alone. Create it Pending; then a principal with orders:approve who did not create it can post it.",
    {
      errors: [{ pointer: "/status", code: "approval_required", message }],
      context: { approvalThresholdCents: thresholdCents },
    },
  );
}

/** The refusal of a reversal: nobody else could approve it before it moves the amount back. */
export function reversalNeedsApproval({ thresholdCents }: TransactionPolicy): Refusal {
  return new Refusal(
    "approval_required",
    "The book's approval policy lets nobody move this amount alone, and a reversal moves it at once. Create the opposite entries as a Pending transaction; then a principal with orders:approve who did not create it can post it.",
    { context: { approvalThresholdCents: thresholdCents } },
  );
}

/**
 * Whoever has `orders:approve` without `ledger:write` only decides on what another principal has proposed. Refusal:
 * `insufficient_scope` for their own proposals, for what nobody is known to have proposed, and without either scope.
 */
export function requireAnothersProposal({
  principal,
  mayApprove,
  proposedBy,
}: {
  readonly principal: string;
  readonly mayApprove: boolean;
  readonly proposedBy: string | null;
}): void {
  if (mayApprove && proposedBy !== null && !isSamePrincipal(proposedBy, principal)) return;
  throw new Refusal(
    "insufficient_scope",
    "With orders:approve and without ledger:write you decide only on what another principal has proposed.",
    { context: { requiredScope: "ledger:write" } },
  );
}

/** Who posts a transaction, and who created it: null for one of a version that did not store it. */
export interface Approving {
  readonly principal: string;
  readonly mayApprove: boolean;
  readonly creator: string | null;
}

/** Refusals: `insufficient_scope`, `self_approval_not_allowed`. */
export function requireApprover({ principal, mayApprove, creator }: Approving): void {
  if (!mayApprove) {
    throw new Refusal(
      "insufficient_scope",
      "The book's approval policy requires an approver for this amount: post it as a principal with the scope orders:approve.",
      { context: { requiredScope: "orders:approve" } },
    );
  }
  if (creator === null || !isSamePrincipal(creator, principal)) return;
  throw new Refusal(
    "self_approval_not_allowed",
    `${principal} created this transaction, so another principal with orders:approve must post it.`,
  );
}
