/** What waits for a decision in a book: orders, what is proposed in the ledger, and policies, API keys and roles. */
import { z } from "zod";
import { idSchema } from "../ids/ids.ts";
import { amountCents, currency } from "../money.ts";
import { namedEnum } from "../named-enum.ts";
import { apiKeyProposal } from "./api-keys.ts";
import { money } from "./money.ts";
import { policyProposal } from "./payments/approval-policies.ts";
import { approvalOfCaller } from "./payments/payment-order-parts.ts";
import { paymentOrder } from "./payments/payment-orders.ts";
import { roleProposal } from "./people.ts";
import { principal, timestamp } from "./shapes.ts";

export const maxInboxEntries = 100;
export const maxInboxCount = 1_000;

const mine = approvalOfCaller.meta({ description: "What would happen if you approved it now." });

export const inboxOrder = paymentOrder
  .pick({
    id: true,
    direction: true,
    rail: true,
    amountCents: true,
    currency: true,
    ledgerAccountId: true,
    ledgerAccountName: true,
    counterpartyId: true,
    counterpartyName: true,
    counterpartyAccountNumber: true,
    externalId: true,
    description: true,
    purpose: true,
    effectiveDate: true,
    approval: true,
    expectedSettlementDate: true,
    createdBy: true,
    createdAt: true,
  })
  .extend({
    pendingSince: timestamp.meta({ description: "When it became Pending, in the time of the book." }),
  })
  .meta({ id: "InboxOrder", description: "A payment order that waits for approval." });
export type InboxOrder = z.infer<typeof inboxOrder>;

const ledgerProposalKind = namedEnum("LedgerProposalKind", "What is proposed in the ledger.", {
  LedgerTransaction: "A pending ledger transaction: post it, or void it.",
  InboundAssignment: "The assignment of an inbound payment: assign it to the same account.",
});
export const inboxLedgerProposal = z
  .object({
    kind: ledgerProposalKind,
    id: z.string().meta({ description: "The ledger transaction, or the inbound payment." }),
    amountCents: amountCents.meta({ description: "What it moves, in cents: the sum of its debits." }),
    currency,
    description: z.string().meta({
      description: "What the transaction is for, or who sent the payment.",
    }),
    ledgerAccountId: idSchema("la").nullable().meta({
      description: "The account that the payment would be assigned to. Null for a transaction.",
    }),
    href: z.string().meta({ description: "Where to read all of it." }),
    proposedBy: principal("The principal that proposed it.").nullable(),
    proposedAt: timestamp.meta({ description: "When it was proposed, in the time of the book." }),
    mine,
  })
  .meta({ id: "InboxLedgerProposal", description: "What is proposed in the ledger and nobody has decided." });
export type InboxLedgerProposal = z.infer<typeof inboxLedgerProposal>;

function listOf<Entry extends z.ZodType>(entry: Entry, description: string) {
  return z.object({
    data: z.array(entry).meta({ description }),
    count: z
      .int()
      .meta({ description: `How many wait. At most ${maxInboxCount.toLocaleString("en-US")} are counted.` }),
    hasMore: z.boolean().meta({ description: "True if more wait than `data` has." }),
  });
}

const newestFirst = `The newest first, ${String(maxInboxEntries)} at most.`;
const sortedByExpiry = `The ${String(maxInboxEntries)} oldest, sorted by \`approval.expiresAt\`: the earliest first, those without one last.`;

export const inboxLedgerProposals = listOf(inboxLedgerProposal, newestFirst);
const ledgerProposalsNote =
  "Pending ledger transactions and proposed assignments. Null without the scope `ledger:read`, and while the ledger does not answer.";

export const inbox = z
  .object({
    paymentOrders: listOf(inboxOrder, sortedByExpiry).meta({
      description: "Payment orders that wait for approval.",
    }),
    ledgerProposals: inboxLedgerProposals.nullable().default(null).meta({ description: ledgerProposalsNote }),
    policyProposals: listOf(
      policyProposal.extend({ mine }).meta({
        id: "InboxPolicyProposal",
        description: "A proposed approval policy that nobody has decided.",
      }),
      newestFirst,
    ).meta({ description: "Open proposals of an approval policy." }),
    apiKeyProposals: listOf(
      apiKeyProposal
        .extend({ mine })
        .meta({ id: "InboxApiKeyProposal", description: "A proposed API key that nobody has decided." }),
      newestFirst,
    )
      .nullable()
      .meta({ description: "Open proposals of API keys. Null without the scope `keys:write`." }),
    roleProposals: listOf(
      roleProposal
        .extend({ mine })
        .meta({ id: "InboxRoleProposal", description: "Proposed roles that nobody has decided." }),
      newestFirst,
    )
      .nullable()
      .meta({ description: "Open proposals of roles. Null without the scope `people:write`." }),
  })
  .meta({ id: "Inbox", description: "What waits for a decision." });
export type Inbox = z.infer<typeof inbox>;

const inboxOrderV2 = inboxOrder
  .omit({ amountCents: true, currency: true })
  .extend({ amount: money })
  .meta({ id: "InboxOrderV2", description: "A payment order that waits for approval." });
const inboxLedgerProposalV2 = inboxLedgerProposal
  .omit({ amountCents: true, currency: true })
  .extend({ amount: money })
  .meta({
    id: "InboxLedgerProposalV2",
    description: "What is proposed in the ledger and nobody has decided.",
  });
export const inboxV2 = inbox
  .extend({
    ledgerProposals: listOf(inboxLedgerProposalV2, newestFirst)
      .nullable()
      .default(null)
      .meta({ description: ledgerProposalsNote }),
    paymentOrders: listOf(inboxOrderV2, sortedByExpiry).meta({
      description: "Payment orders that wait for approval.",
    }),
  })
  .meta({ id: "InboxV2", description: "What waits for a decision." });

/** Turns an inbox of version 1 into one of version 2. */
export function inboxToV2({ paymentOrders, ledgerProposals, ...rest }: Inbox): z.infer<typeof inboxV2> {
  return {
    ...rest,
    paymentOrders: { ...paymentOrders, data: paymentOrders.data.map(withMoney) },
    ledgerProposals: ledgerProposals && {
      ...ledgerProposals,
      data: ledgerProposals.data.map(withMoney),
    },
  };
}

function withMoney<Entry extends { amountCents: number; currency: z.infer<typeof currency> }>({
  amountCents: cents,
  currency: ofAmount,
  ...entry
}: Entry) {
  return { ...entry, amount: { cents, currency: ofAmount } };
}
