import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { amountCents, balanceCents, currency } from "../../money.ts";
import { namedEnum } from "../../named-enum.ts";
import { linesText, nameText } from "../../text/text.ts";
import {
  bankingDate,
  createdAt,
  createdAtFilters,
  externalId,
  sentExternalId,
  mergePatch,
  metadata,
  metadataPatch,
  oneOrMany,
  pageEnd,
  pageOf,
  pageQuery,
  sentMetadata,
  storedExternalId,
  timeFilter,
  timestamp,
  updatedAt,
} from "../shapes.ts";
import { reconciliationStatus } from "./reconciliations.ts";

/** Which side increases an account. */
export const normalBalance = namedEnum("NormalBalance", "The side that increases the account.", {
  Credit: "Money that you owe to someone. Only such accounts send and receive payments.",
  Debit: "What you own or spend, such as an expense.",
});
const overdraft = namedEnum("Overdraft", "Whether the available balance may go below zero.", {
  Allowed: "It may go below zero.",
  Refused: "A hold or posting that would take it below zero is refused.",
});
const accountStatus = namedEnum("LedgerAccountStatus", "Whether the account can be used.", {
  Open: "It can be used.",
  Closed: "Closed for good: nothing is held on it or posted to it.",
});

export const ledgerAccountCreate = z
  .strictObject({
    name: nameText(100).meta({ description: "Unique in the book, whatever its case." }),
    currency: currency.default("USD"),
    normalBalance: normalBalance.default("Credit"),
    overdraft: overdraft.default("Allowed"),
    externalId: sentExternalId.optional().meta({ description: "Your own reference. Unique in the book." }),
    description: linesText(255).optional().meta({ description: "A note for yourself." }),
    metadata: sentMetadata.optional(),
  })
  .meta({ id: "LedgerAccountCreate", description: "A new ledger account." });
/** The body of PATCH /v1/ledger-accounts/:id, a JSON merge patch (RFC 7396). */
export const ledgerAccountPatch = mergePatch(
  z
    .strictObject({
      description: linesText(255).nullish().meta({ description: "A note for yourself." }),
      metadata: metadataPatch.nullish(),
    })
    .meta({
      id: "LedgerAccountPatch",
      description: "The fields to change. Null removes the description, a pair of metadata, or all pairs.",
    }),
);
export type LedgerAccountPatch = z.infer<typeof ledgerAccountPatch>;
export type LedgerAccountCreate = z.infer<typeof ledgerAccountCreate>;

const threeBalances = {
  pendingBalanceCents: balanceCents.meta({ description: "On hold for outgoing payments, in cents." }),
  postedBalanceCents: balanceCents.meta({ description: "Settled, in cents. May be negative." }),
  availableBalanceCents: balanceCents.meta({ description: "Posted minus pending, in cents." }),
};
const effectiveAsOfShown = bankingDate.optional().meta({
  description: "The day that you asked for: balances at its end, by effective time.",
});

export const ledgerAccount = z
  .object({
    id: idSchema("la"),
    name: z.string().meta({ description: "Unique in the book." }),
    currency,
    normalBalance,
    overdraft,
    externalId: storedExternalId,
    description: z.string().nullable().meta({ description: "A note for yourself." }),
    metadata,
    pendingBalanceCents: threeBalances.pendingBalanceCents,
    pendingInboundCents: balanceCents.meta({
      description: "Collections that have not settled yet, in cents.",
    }),
    postedBalanceCents: threeBalances.postedBalanceCents,
    availableBalanceCents: threeBalances.availableBalanceCents,
    lastSequence: z.int().meta({ description: "The last journal with an entry on it; 0 if there is none." }),
    status: accountStatus,
    createdAt,
    // Absent in answers that were stored before accounts could change.
    updatedAt: updatedAt.optional(),
    closedAt: timestamp.nullable().meta({ description: "When it was closed." }),
    asOf: timestamp.optional().meta({ description: "The time that you asked for." }),
    effectiveAsOf: effectiveAsOfShown,
  })
  .meta({
    id: "LedgerAccount",
    description: "An account in the ledger. It records whose money it is, not which bank holds it.",
  });
export type LedgerAccount = z.infer<typeof ledgerAccount>;

/** Balances of the past: as recorded at a time, or by effective time at the end of a day. */
const moment = {
  asOf: timeFilter(
    "Balances as recorded at this time (RFC 3339, to the millisecond). The answer never changes. A future time is refused.",
  ),
  effectiveAsOf: bankingDate.optional().meta({
    description:
      "Balances at the end of this New York day by effective time, with everything that is recorded now.",
  }),
};
export const ledgerAccountMoment = z.strictObject(moment);
export type MomentQuery = z.infer<typeof ledgerAccountMoment>;

export const accountOwner = namedEnum("LedgerAccountOwner", "Who opened the account.", {
  Tenant: "You.",
  System: "The service: settlement cash, the stablecoin wallet, Suspense, obligations and their expenses.",
});
export type AccountOwner = z.infer<typeof accountOwner>;
export const ledgerAccountQuery = z.strictObject({
  ...pageQuery,
  owner: oneOrMany(accountOwner, "Whose accounts. Default: Tenant."),
  name: oneOrMany(z.string().meta({ examples: ["Operating"] }), "Exactly this name."),
  externalId: oneOrMany(externalId),
});
export const ledgerAccountPage = pageOf(ledgerAccount).meta({
  id: "LedgerAccountPage",
  description: "One page of ledger accounts.",
});

const journalKindDescriptions = {
  Hold: "Reserves money.",
  Settle: "Ends a hold and moves its money.",
  Release: "Ends a hold without moving money.",
  LateReturn: "Gives back the money of a completed order.",
  Post: "Moves money.",
  Reverse: "Offsets an earlier journal.",
  Inbound: "Books incoming money.",
  Assign: "Moves incoming money out of Suspense, or charges an account with what a return took.",
  UnmatchedReturn: "Books to Suspense a return that is none of yours.",
  Accrue: "Books an obligation, or its amendment.",
} as const;
export const journalKind = namedEnum("JournalKind", "What a journal does.", journalKindDescriptions);
export const journalKinds = journalKind.options;

/** A side of the book. The direction of an order is `orderDirection`. */
export const entryDirection = namedEnum("EntryDirection", "The side of the account.", {
  Credit: "Increases a Credit-normal account and decreases a Debit-normal one.",
  Debit: "Decreases a Credit-normal account and increases a Debit-normal one.",
});

export const entryStatus = namedEnum("EntryStatus", "Whether the entry moved money.", {
  Pending: "Part of a hold.",
  Posted: "Money that moved.",
});
const entryKind = namedEnum("EntryKind", "What the entry's journal does.", {
  ...journalKindDescriptions,
  Discharge: "Cancels the Pending entry of a hold that was settled or released.",
});

export const ledgerEntry = z
  .object({
    id: idSchema("le"),
    direction: entryDirection,
    amountCents,
    status: entryStatus,
    transactionId: idSchema("lt"),
    sequence: z.int().meta({ description: "The journal's number in the book. Without gaps." }),
    kind: entryKind,
    reversesEntryId: idSchema("le").nullable().meta({ description: "The entry that it offsets." }),
    paymentOrderId: idSchema("po").nullable().meta({ description: "The order that it belongs to." }),
    effectiveAt: timestamp.meta({ description: "When the money moved." }),
    createdAt: timestamp.meta({ description: "When it was recorded." }),
  })
  .meta({ id: "LedgerEntry", description: "One side of a journal. Entries never change." });
export type LedgerEntry = z.infer<typeof ledgerEntry>;

const entryOrder = namedEnum("LedgerEntryOrder", "By the time of record.", {
  Newest: "The newest entry first.",
  Oldest: "The oldest entry first.",
});
export const ledgerEntryQuery = z.strictObject({
  ...pageQuery,
  // The answer is a bare array, without `nextCursor`.
  cursor: pageQuery.cursor.meta({
    description:
      'The `cursor` of the address in the header `Link` of the previous page: `</v1/ledger-accounts/…/entries?limit=25&cursor=eyJ…>; rel="next"`. The last page has no such address. Send the same filters with it.',
    examples: ["eyJhZnRlciI6IjAxamQzazVzOHkifQ"],
  }),
  status: oneOrMany(entryStatus),
  "effectiveAt[gte]": timeFilter("Moved at or after this time (RFC 3339)."),
  "effectiveAt[lt]": timeFilter("Moved before this time (RFC 3339)."),
  ...createdAtFilters,
  // Without a default, which would be a filter that older cursors don't have.
  order: entryOrder.optional().meta({
    description: "The order of the list, by time of record. Default: `Newest`.",
    examples: ["Oldest"],
  }),
});
export type LedgerEntryQuery = z.infer<typeof ledgerEntryQuery>;
/** A page of entries between services; over HTTP the array goes out bare and `Link` carries the cursor. */
export const ledgerEntryPage = pageOf(ledgerEntry);

const cashAgainstDebts = z.object({
  settlementCashCents: balanceCents.meta({
    description: "Posted settlement cash and stablecoin wallet, in cents.",
  }),
  subLedgerCents: balanceCents.meta({
    description: "Everything that the book owes, posted, in cents. Includes Suspense and obligations.",
  }),
  differenceCents: balanceCents.meta({
    description: "Cash minus what is owed: 0, because every journal balances.",
  }),
  asOf: timestamp.meta({ description: "The time of these amounts: the `asOf` of the answer." }),
});
const lastRun = z.object({
  id: idSchema("rec"),
  date: bankingDate,
  status: reconciliationStatus,
  bankDifferenceCents: balanceCents
    .nullable()
    .meta({ description: "Bank − ledger − in transit. Null if no statement was compared." }),
  asOf: timestamp.meta({ description: "When the run was made." }),
});

export const balances = z
  .object({
    asOf: timestamp.meta({ description: "The time that you asked for, or the time of reading." }),
    effectiveAsOf: effectiveAsOfShown,
    data: z
      .array(
        z.object({
          ledgerAccountId: idSchema("la"),
          name: z.string().meta({ description: "The account's name." }),
          currency,
          ...threeBalances,
        }),
      )
      .meta({ description: "The accounts of this page." }),
    ...pageEnd,
    totals: z
      .array(z.object({ currency, ...threeBalances }))
      .meta({ description: "Sums over all your accounts, per currency, whatever the page." }),
    reconciliation: z
      .object({
        settlementCashCents: balanceCents.meta({
          description: "Posted settlement cash and stablecoin wallet, in cents.",
        }),
        subLedgerCents: balanceCents.meta({
          description: "Everything that the book owes, posted, in cents. Includes Suspense and obligations.",
        }),
        differenceCents: balanceCents.meta({
          description: "Cash minus what is owed: 0, because every journal balances.",
        }),
        bankDifferenceCents: balanceCents.nullable().meta({
          description: "Bank − ledger − in transit, of the last run. Null if no statement was compared.",
        }),
        status: reconciliationStatus.meta({
          description: "The last run's status. NotReconciled before the first statement.",
        }),
        asOf: timestamp.meta({ description: "When the last run was made. Without a run: now." }),
        now: cashAgainstDebts.meta({ description: "The ledger's cash against what it owes." }),
        lastRun: lastRun
          .nullable()
          .meta({ description: "The last comparison with the bank. Null before the first run." }),
      })
      .meta({
        description:
          "What is now (`now`), and what the last comparison with the bank found (`lastRun`), each with its time. The other members say the same without naming which of the two they are from; `/v2` will leave them out.",
      }),
  })
  .meta({ id: "Balances", description: "All balances of the book, from one snapshot." });
export type Balances = z.infer<typeof balances>;
export const balancesQuery = z.strictObject({ ...pageQuery, ...moment });
