import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { balanceCents, currency } from "../../money.ts";
import {
  anyTime,
  digitsAsNumber,
  pageOf,
  pageQuery,
  storedExternalId,
  timeFilter,
  timestamp,
} from "../shapes.ts";
import { journalKind, normalBalance } from "./ledger-accounts.ts";
import { transactionOwner } from "./ledger-transactions.ts";

const change = z
  .object({
    pendingCents: balanceCents.meta({
      description: "Change of what is on hold for outgoing payments, in cents.",
    }),
    pendingInboundCents: balanceCents.meta({
      description: "Change of collections that have not settled, in cents.",
    }),
    postedCents: balanceCents.meta({ description: "Change of the posted balance, in cents." }),
    availableCents: balanceCents.meta({ description: "Change of posted minus pending, in cents." }),
  })
  .meta({ description: "What the journal changed on this account. Positive is a rise." });

const fourBalances = {
  pendingBalanceCents: balanceCents.meta({ description: "On hold for outgoing payments, in cents." }),
  pendingInboundCents: balanceCents.meta({ description: "Collections that have not settled yet, in cents." }),
  postedBalanceCents: balanceCents.meta({ description: "Settled, in cents. May be negative." }),
  availableBalanceCents: balanceCents.meta({ description: "Posted minus pending, in cents." }),
};

export const ledgerAccountJournal = z
  .object({
    sequence: z.int().meta({ description: "The journal's number in the book. Without gaps." }),
    kind: journalKind,
    transactionId: idSchema("lt"),
    owner: transactionOwner.nullable().meta({
      description: "What it belongs to. Null for your own transactions.",
    }),
    description: z.string().nullable().meta({ description: "What its journal or transaction is for." }),
    externalId: storedExternalId,
    change,
    balancesAfter: z.object(fourBalances).meta({ description: "The account's balances after it." }),
    effectiveAt: timestamp.meta({ description: "When the money moved." }),
    createdAt: timestamp.meta({ description: "When it was recorded." }),
  })
  .meta({
    id: "LedgerAccountJournal",
    description: "What one journal did to an account, in both layers, and the balances after it.",
  });
export type LedgerAccountJournal = z.output<typeof ledgerAccountJournal>;

export const ledgerAccountJournalPage = pageOf(ledgerAccountJournal).meta({
  id: "LedgerAccountJournalPage",
  description: "One page of an account's journals, newest first.",
});
export const ledgerAccountJournalQuery = z.strictObject(pageQuery);

/** The most points of a balance history. */
const maxPoints = 500;

export const balanceHistoryQuery = z.strictObject({
  from: anyTime.meta({ description: "Where the first interval begins (RFC 3339, to the millisecond)." }),
  to: timeFilter("Where the last interval ends. Default: now. A future time is refused."),
  points: z.preprocess(
    digitsAsNumber,
    z
      .number()
      .int()
      .min(1)
      .max(maxPoints)
      .default(100)
      .meta({ description: "The number of intervals between `from` and `to`, all of one length." }),
  ),
});
export type BalanceHistoryQuery = z.output<typeof balanceHistoryQuery>;

const balanceHistoryPoint = z.object({
  at: timestamp.meta({ description: "The end of the interval." }),
  ...fourBalances,
});
export type BalanceHistoryPoint = z.output<typeof balanceHistoryPoint>;

export const balanceHistory = z
  .object({
    ledgerAccountId: idSchema("la"),
    ledgerAccountName: z.string().meta({ description: "The account's name." }),
    currency,
    normalBalance,
    from: timestamp.meta({ description: "Where the first interval begins." }),
    to: timestamp.meta({ description: "Where the last interval ends." }),
    data: z
      .array(balanceHistoryPoint)
      .meta({ description: "The balances at the end of each interval, oldest first." }),
  })
  .meta({
    id: "BalanceHistory",
    description: "An account's balances over time, as recorded: each point equals `asOf` at its time.",
  });
export type BalanceHistory = z.output<typeof balanceHistory>;
