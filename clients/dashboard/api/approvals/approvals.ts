import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getInbox, getLedgerAccount, listPaymentOrders } from "../../../typescript/sdk.gen.ts";
import type {
  Inbox,
  InboxApiKeyProposal,
  InboxLedgerProposal,
  InboxOrder,
  InboxPolicyProposal,
  InboxRoleProposal,
  PaymentOrder,
} from "../../../typescript/types.gen.ts";
import { bodyOf } from "../client/call.ts";
import { type Me, useMay } from "../people/me.ts";

/** What is proposed in the ledger: a pending transaction, or the assignment of an inbound payment. */
export type LedgerKind = "transaction" | "assignment";
const ledgerKinds = { LedgerTransaction: "transaction", InboundAssignment: "assignment" } as const;

/** What waits for a decision. Its kind says which operations decide it. */
export type Waiting =
  | { readonly kind: "order"; readonly id: string; readonly order: InboxOrder }
  | { readonly kind: LedgerKind; readonly id: string; readonly proposal: InboxLedgerProposal }
  | { readonly kind: "policy"; readonly id: string; readonly proposal: InboxPolicyProposal }
  | { readonly kind: "apiKey"; readonly id: string; readonly proposal: InboxApiKeyProposal }
  | { readonly kind: "role"; readonly id: string; readonly proposal: InboxRoleProposal };

function entriesOf(inbox: Inbox): Waiting[] {
  const { paymentOrders, ledgerProposals, policyProposals, apiKeyProposals, roleProposals } = inbox;
  return [
    ...paymentOrders.data.map((order) => ({ kind: "order" as const, id: order.id, order })),
    ...(ledgerProposals?.data ?? []).map((proposal) => ({
      kind: ledgerKinds[proposal.kind],
      id: proposal.id,
      proposal,
    })),
    ...policyProposals.data.map((proposal) => ({ kind: "policy" as const, id: proposal.id, proposal })),
    ...(apiKeyProposals?.data ?? []).map((proposal) => ({
      kind: "apiKey" as const,
      id: proposal.id,
      proposal,
    })),
    ...(roleProposals?.data ?? []).map((proposal) => ({ kind: "role" as const, id: proposal.id, proposal })),
  ];
}

/** Everything that waits for a decision: orders first, those that lapse soonest at the top, then the ledger's. */
export function useApprovals() {
  return useQuery({
    queryKey: ["approvals"],
    queryFn: async () => {
      const inbox = await bodyOf(getInbox());
      const hasMore = inbox.paymentOrders.hasMore || inbox.ledgerProposals?.hasMore === true;
      return { entries: entriesOf(inbox), hasMore };
    },
  });
}

/** One page of the orders whose approval was decided, the latest decision first. */
export function useDecided(pages: readonly string[]) {
  const cursor = pages.at(-1);
  // The API sorts by decision only where a filter names its time; every decision is later than this one.
  const query = {
    "decidedAt[gte]": "2000-01-01T00:00:00Z",
    limit: 50,
    ...(cursor === undefined ? {} : { cursor }),
  };
  return useQuery({
    queryKey: ["orders", query],
    queryFn: () => bodyOf(listPaymentOrders({ query })),
    placeholderData: keepPreviousData,
  });
}

/** The code of the refusal that an approval by this person would get, or undefined. */
export function refusalOf(waiting: Waiting): string | undefined {
  const mine = waiting.kind === "order" ? waiting.order.approval.mine : waiting.proposal.mine;
  return mine === null || mine.allowed ? undefined : (mine.code ?? "other");
}

/** The same of an order that was read by itself. One that no longer waits has no approver. */
export function refusalOfOrder({ approval: { mine } }: PaymentOrder, me: Me): string | undefined {
  if (mine !== null) return mine.allowed ? undefined : (mine.code ?? "other");
  return me.scopes.includes("orders:approve") ? undefined : "insufficient_scope";
}

export function useAccount(id: string | null) {
  const may = useMay("ledger:read");
  return useQuery({
    queryKey: ["ledger-account", id],
    queryFn: () => bodyOf(getLedgerAccount({ path: { id: id ?? "" } })),
    enabled: may && id !== null,
  });
}

/**
 * When the last payment was made that reached the counterparty's account on the order's rail, and did not come back;
 * null if none of the newest did. A counterparty has one account on each rail.
 */
export function useLastPaidAt({ direction, counterpartyId, rail }: PaymentOrder) {
  return useQuery({
    queryKey: ["orders", "last-paid", counterpartyId, rail],
    queryFn: async () => {
      const query = {
        counterpartyId: counterpartyId ?? "",
        rail,
        direction: "Credit",
        status: "Completed",
        limit: 20,
      } as const;
      const { data } = await bodyOf(listPaymentOrders({ query }));
      return data.find((paid) => paid.return === null && paid.sentBackBy === null)?.createdAt ?? null;
    },
    enabled: direction === "Credit" && counterpartyId !== null,
  });
}
