import type { z } from "zod";
import type { inbox, inboxOrder } from "../inbox.ts";
import { policyExamples } from "./approval-policies.ts";
import { at, ids } from "./ids.ts";

/** A wire that needs two approvals and has none, as somebody sees it who may give one. */
const wire = {
  id: ids.order,
  direction: "Credit",
  rail: "Wire",
  amountCents: 180_000,
  currency: "USD",
  ledgerAccountId: ids.account,
  ledgerAccountName: "Operating",
  counterpartyId: ids.counterparty,
  counterpartyName: "Ada Example",
  counterpartyAccountNumber: "••••6789",
  externalId: "invoice-4711",
  description: null,
  purpose: "Freight, March",
  effectiveDate: null,
  approval: {
    required: 2,
    received: 0,
    approvals: [],
    orderHash: "0f4c6f1f4ae1c8cf0a0a52d2a6f3f2a9b1d3c4e5f60718293a4b5c6d7e8f9012",
    makers: ["ap-clerk"],
    reasons: [
      {
        rule: "dualApprovalRails",
        approvals: 2,
        thresholdCents: null,
        detail: "Orders on Wire need two approvals.",
      },
    ],
    expiresAt: at(72 * 3_600_000),
    mine: { allowed: true, code: null },
    decision: null,
  },
  expectedSettlementDate: "2026-03-02",
  createdBy: "ap-clerk",
  createdAt: at(0),
  pendingSince: at(0),
} satisfies z.output<typeof inboxOrder>;

export const inboxExamples = {
  Inbox: {
    paymentOrders: { data: [wire], count: 1, hasMore: false },
    ledgerProposals: {
      data: [
        {
          kind: "InboundAssignment",
          id: ids.inboundPayment,
          amountCents: 120_000,
          currency: "USD",
          description: "Ada Example",
          ledgerAccountId: ids.account,
          href: `/v1/inbound-payments/${ids.inboundPayment}`,
          proposedBy: "maya",
          proposedAt: at(0),
          mine: { allowed: true, code: null },
        },
      ],
      count: 1,
      hasMore: false,
    },
    policyProposals: {
      data: [
        { ...policyExamples.PolicyProposal, mine: { allowed: false, code: "self_approval_not_allowed" } },
      ],
      count: 1,
      hasMore: false,
    },
    apiKeyProposals: null,
    roleProposals: null,
  } satisfies z.output<typeof inbox>,
};
