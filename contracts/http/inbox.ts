/** What waits for a decision in a book: orders, and proposed policies, API keys and roles. */
import { z } from "zod";
import { apiKeyProposal } from "./api-keys.ts";
import { money } from "./money.ts";
import { policyProposal } from "./payments/approval-policies.ts";
import { approvalOfCaller } from "./payments/payment-order-parts.ts";
import { paymentOrder } from "./payments/payment-orders.ts";
import { roleProposal } from "./people.ts";
import { timestamp } from "./shapes.ts";

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

function listOf<Entry extends z.ZodType>(entry: Entry, first: string) {
  return z.object({
    data: z.array(entry).meta({ description: `${first}, ${String(maxInboxEntries)} at most.` }),
    count: z
      .int()
      .meta({ description: `How many wait. At most ${maxInboxCount.toLocaleString("en-US")} are counted.` }),
    hasMore: z.boolean().meta({ description: "True if more wait than `data` has." }),
  });
}

const soonestToLapse = "Those that were created first, and of them the soonest to lapse first";
const newestFirst = "Newest first";

export const inbox = z
  .object({
    paymentOrders: listOf(inboxOrder, soonestToLapse).meta({
      description: "Payment orders that wait for approval.",
    }),
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
export const inboxV2 = inbox
  .extend({
    paymentOrders: listOf(inboxOrderV2, soonestToLapse).meta({
      description: "Payment orders that wait for approval.",
    }),
  })
  .meta({ id: "InboxV2", description: "What waits for a decision." });

/** Turns an inbox of version 1 into one of version 2. */
export function inboxToV2({ paymentOrders, ...rest }: Inbox): z.infer<typeof inboxV2> {
  const data = paymentOrders.data.map(({ amountCents: cents, currency, ...order }) => ({
    ...order,
    amount: { cents, currency },
  }));
  return { ...rest, paymentOrders: { ...paymentOrders, data } };
}
