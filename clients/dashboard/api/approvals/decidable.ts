/** What a person decides on, whatever it is: an order or a proposal. */
import {
  approveApiKeyProposal,
  approvePaymentOrder,
  approvePolicyProposal,
  approveRoleProposal,
  assignInboundPayment,
  denyApiKeyProposal,
  denyPaymentOrder,
  denyPolicyProposal,
  denyRoleProposal,
  postLedgerTransaction,
  voidLedgerTransaction,
} from "../../../typescript/sdk.gen.ts";
import type { PaymentOrder } from "../../../typescript/types.gen.ts";
import { approvalTexts } from "../../texts/approvals.ts";
import { orderTexts } from "../../texts/orders.ts";
import { visible } from "../../parts/values/visible-text.ts";
import type { LedgerKind, Waiting } from "./approvals.ts";
import { bodyOf } from "../client/call.ts";

export type Verdict = "approve" | "deny";
export type ProposalKind = Exclude<Waiting["kind"], "order" | LedgerKind>;

export interface Decidable {
  readonly kind: Waiting["kind"];
  readonly id: string;
  /** Whom it pays, or what is proposed. */
  readonly title: string;
  readonly remark: string;
  /** Null for a proposal that moves no money. */
  readonly amountCents: number | null;
  /** The account that a payment is assigned to; null for everything else. */
  readonly ledgerAccountId: string | null;
  /** What was shown of an order; null for a proposal. */
  readonly orderHash: string | null;
}

type DecidedOrder = Pick<PaymentOrder, "id" | "rail" | "amountCents" | "counterpartyName"> & {
  readonly approval: Pick<PaymentOrder["approval"], "orderHash">;
};

export function decidableOrder({
  id,
  rail,
  amountCents,
  counterpartyName,
  approval,
}: DecidedOrder): Decidable {
  return {
    kind: "order",
    id,
    title: visible(counterpartyName ?? orderTexts.ownAccount),
    remark: orderTexts.rails[rail],
    amountCents,
    ledgerAccountId: null,
    orderHash: approval.orderHash,
  };
}

export function decidableOf(waiting: Waiting): Decidable {
  if (waiting.kind === "order") return decidableOrder(waiting.order);
  const { kind, id, proposal } = waiting;
  const remark = proposedBy(proposal);
  const { amountCents, ledgerAccountId } = isOfLedger(waiting)
    ? waiting.proposal
    : { amountCents: null, ledgerAccountId: null };
  return { kind, id, title: proposalTitle(waiting), remark, amountCents, ledgerAccountId, orderHash: null };
}

export function isOfLedger(waiting: Waiting): waiting is Extract<Waiting, { kind: LedgerKind }> {
  return isLedgerKind(waiting.kind);
}

const isLedgerKind = (kind: Waiting["kind"]): kind is LedgerKind =>
  kind === "transaction" || kind === "assignment";

/** Of a transaction that an early version stored, nobody is known. */
export function proposedBy({ proposedBy: by }: { readonly proposedBy: string | null }): string {
  return by === null ? approvalTexts.proposals.byNobodyKnown : approvalTexts.proposals.by(visible(by));
}

/** An assignment is made or replaced by another one: nothing denies it. */
export const canBeDenied = (kind: Waiting["kind"]) => kind !== "assignment";

export function proposalTitle(waiting: Exclude<Waiting, { kind: "order" }>): string {
  const { titles } = approvalTexts.proposals;
  if (isOfLedger(waiting)) return titles[waiting.kind](visible(waiting.proposal.description));
  if (waiting.kind === "policy") return titles.policy;
  if (waiting.kind === "apiKey") return titles.apiKey(visible(waiting.proposal.apiKey.name));
  const { principal, roles, mode } = waiting.proposal;
  return titles.role(visible(principal), roles.join(", "), mode);
}

const operations = {
  order: { approve: "approvePaymentOrder", deny: "denyPaymentOrder" },
  transaction: { approve: "postLedgerTransaction", deny: "voidLedgerTransaction" },
  assignment: { approve: "assignInboundPayment", deny: "assignInboundPayment" },
  policy: { approve: "approvePolicyProposal", deny: "denyPolicyProposal" },
  apiKey: { approve: "approveApiKeyProposal", deny: "denyApiKeyProposal" },
  role: { approve: "approveRoleProposal", deny: "denyRoleProposal" },
} as const;

export function operationOf(kind: Decidable["kind"], verdict: Verdict): string {
  return operations[kind][verdict];
}

const proposals = {
  policy: { approve: approvePolicyProposal, deny: denyPolicyProposal },
  apiKey: { approve: approveApiKeyProposal, deny: denyApiKeyProposal },
  role: { approve: approveRoleProposal, deny: denyRoleProposal },
} as const;

const proposalPaths = {
  policy: "/v1/approval-policy/proposals",
  apiKey: "/v1/api-keys/proposals",
  role: "/v1/people/role-proposals",
} as const;

/** The request that decides a proposal. */
export function proposalRequest(kind: ProposalKind, id: string, verdict: Verdict) {
  return { method: "POST" as const, path: `${proposalPaths[kind]}/${id}/${verdict}` };
}

/** The body of a decision on the ledger, which the passkey confirms too; undefined for any other. */
export function bodyOfDecision({ kind, ledgerAccountId }: Decidable): object | undefined {
  if (!isLedgerKind(kind)) return undefined;
  return kind === "assignment" ? { ledgerAccountId } : {};
}

/** The request that `sendDecision` sends. */
export function decisionRequest(item: Decidable, verdict: Verdict, reason: string) {
  const { kind, id, orderHash } = item;
  if (isLedgerKind(kind)) {
    const path = kind === "assignment" ? `/v1/inbound-payments/${id}/assign` : transactionPath(id, verdict);
    return { method: "POST" as const, path, body: bodyOfDecision(item) };
  }
  if (kind !== "order") return proposalRequest(kind, id, verdict);
  const body = verdict === "deny" ? { reason } : { orderHash };
  return { method: "POST" as const, path: `/v1/payment-orders/${id}/${verdict}`, body };
}

const transactionPath = (id: string, verdict: Verdict) =>
  `/v1/ledger-transactions/${id}/${verdict === "approve" ? "post" : "void"}`;

/**
 * Sends one decision. Returns how many approvals an approved order still waits for; 0 for every other decision. Throws
 * an ApiProblem.
 */
export async function sendDecision(
  { kind, id, orderHash, ledgerAccountId }: Decidable,
  verdict: Verdict,
  reason: string,
  headers: Record<string, string>,
): Promise<number> {
  const path = { id };
  if (kind === "assignment")
    await bodyOf(assignInboundPayment({ path, headers, body: { ledgerAccountId: ledgerAccountId ?? "" } }));
  else if (kind === "transaction") {
    const decide = verdict === "approve" ? postLedgerTransaction : voidLedgerTransaction;
    await bodyOf<unknown>(decide({ path, headers, body: {} }));
  } else if (kind !== "order") await bodyOf<unknown>(proposals[kind][verdict]({ path, headers }));
  else if (verdict === "deny") await bodyOf(denyPaymentOrder({ path, headers, body: { reason } }));
  else {
    const body = { orderHash: orderHash ?? "" };
    const { awaiting, approval } = await bodyOf(approvePaymentOrder({ path, headers, body }));
    return awaiting === "Approval" ? approval.required - approval.received : 0;
  }
  return 0;
}
