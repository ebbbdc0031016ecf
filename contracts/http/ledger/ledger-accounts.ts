import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { amountCents, balanceCents, currency } from "../../money.ts";
import { bankingDate, externalId, metadata, pageOf, pageQuery, timeFilter, timestamp } from "../shapes.ts";

export const ledgerAccountCreate = z
  .strictObject({
    name: z.string().min(1).max(100).meta({ description: "Unique in the book." }),
    currency: currency.default("USD"),
    normalBalance: z
      .enum(["Credit", "Debit"])
      .default("Credit")
      .meta({ description: "The side that raises it: Credit for money that you owe to somebody." }),
    overdraft: z
      .enum(["Allowed", "Refused"])
      .default("Allowed")
      .meta({ description: "Refused: a hold or posting that would take available below zero is refused." }),
    externalId: externalId.optional(),
    description: z.string().max(255).optional(),
    metadata: metadata.optional(),
  })
  .meta({ id: "LedgerAccountCreate" });
export type LedgerAccountCreate = z.infer<typeof ledgerAccountCreate>;

export const ledgerAccount = z
  .object({
    id: idSchema("la"),
    name: z.string(),
    currency,
    normalBalance: z.enum(["Credit", "Debit"]),
    overdraft: z
      .enum(["Allowed", "Refused"])
      .meta({ description: "Refused: nothing takes available below zero." }),
    externalId: z.string().nullable(),
    description: z.string().nullable(),
    metadata,
    pendingBalanceCents: balanceCents.meta({ description: "Open outgoing holds, ≥ 0." }),
    pendingInboundCents: balanceCents.meta({
      description: "Open incoming holds, ≥ 0: a collection that has not settled.",
    }),
    postedBalanceCents: balanceCents.meta({ description: "What has settled, in cents." }),
    availableBalanceCents: balanceCents.meta({ description: "Posted minus pending, exactly." }),
    lastSequence: z.int().meta({ description: "The journal that last touched it; 0 before the first." }),
    status: z
      .enum(["Open", "Closed"])
      .meta({ description: "Closed for ever: nothing is held on it or posted to it." }),
    createdAt: timestamp,
    closedAt: timestamp.nullable(),
    asOf: timestamp.optional().meta({ description: "Where asked: the time whose balances these are." }),
    effectiveAsOf: bankingDate.optional().meta({
      description: "Where asked: balances at the end of this day, by when the money moved.",
    }),
  })
  .meta({ id: "LedgerAccount" });
export type LedgerAccount = z.infer<typeof ledgerAccount>;

/** The past, as one of two questions: what did the book say then, or what had moved by then, as is known now. */
const moment = {
  asOf: timeFilter(
    "The balances that the book had at this time (RFC 3339), to the millisecond. It never changes afterwards.",
  ),
  effectiveAsOf: bankingDate.optional().meta({
    description:
      "The balances at the end of this New York day by the effective times of all that is recorded by now.",
  }),
};
export const ledgerAccountMoment = z.strictObject(moment);
export type MomentQuery = z.infer<typeof ledgerAccountMoment>;

export const ledgerAccountQuery = z.strictObject({
  ...pageQuery,
  name: z.string().optional().meta({ description: "Exactly this name." }),
});
export const ledgerAccountPage = pageOf(ledgerAccount).meta({ id: "LedgerAccountPage" });

export const journalKinds = [
  "Hold",
  "Settle",
  "Release",
  "LateReturn",
  "Post",
  "Reverse",
  "Inbound",
  "Assign",
  "Accrue",
] as const;

/** A side of the book, not a way of money: that of an order is `orderDirection`. */
export const entryDirection = z.enum(["Credit", "Debit"]).meta({
  description:
    "Credit raises what a Credit-normal account has, Debit lowers it; a Debit-normal one, the other way round.",
});

export const ledgerEntry = z
  .object({
    id: idSchema("le"),
    direction: entryDirection,
    amountCents,
    status: z
      .enum(["Pending", "Posted"])
      .meta({ description: "Pending: part of a hold. Posted: money that moved." }),
    transactionId: idSchema("lt").meta({ description: "All entries of a movement share it." }),
    sequence: z.int().meta({ description: "The journal's gap-free number within the book." }),
    kind: z.enum([...journalKinds, "Discharge"]).meta({
      description: "`Discharge` is the opposite Pending line that a settlement or release appends.",
    }),
    reversesEntryId: idSchema("le").nullable().meta({ description: "The entry that it undoes." }),
    paymentOrderId: idSchema("po").nullable(),
    effectiveAt: timestamp.meta({ description: "When the money moved; `createdAt` is when it was written." }),
    createdAt: timestamp,
  })
  .meta({ id: "LedgerEntry" });
export type LedgerEntry = z.infer<typeof ledgerEntry>;

export const ledgerEntryQuery = z.strictObject({
  ...pageQuery,
  status: z.enum(["Pending", "Posted"]).optional(),
});
/** A page of entries between services; over HTTP the array goes out bare and `Link` carries the cursor. */
export const ledgerEntryPage = pageOf(ledgerEntry);

export const balances = z
  .object({
    asOf: timestamp.meta({ description: "The time that was asked for; the time of reading where none was." }),
    effectiveAsOf: bankingDate.optional().meta({
      description: "Where asked: balances at the end of this day, by when the money moved.",
    }),
    data: z.array(
      z.object({
        ledgerAccountId: idSchema("la"),
        name: z.string(),
        currency,
        pendingBalanceCents: balanceCents,
        postedBalanceCents: balanceCents,
        availableBalanceCents: balanceCents,
      }),
    ),
    nextCursor: z.string().nullable(),
    hasMore: z.boolean(),
    /** Over all of the tenant's accounts, not only this page. */
    totals: z.array(
      z.object({
        currency,
        pendingBalanceCents: balanceCents,
        postedBalanceCents: balanceCents,
        availableBalanceCents: balanceCents,
      }),
    ),
    reconciliation: z.object({
      settlementCashCents: balanceCents.meta({
        description: "Settlement cash and stablecoin wallet, posted.",
      }),
      subLedgerCents: balanceCents.meta({ description: "What the book owes, posted." }),
      differenceCents: balanceCents.meta({
        description: "Cash minus what is owed: 0, for every journal balances. It says nothing of the bank.",
      }),
      bankDifferenceCents: balanceCents.nullable().meta({
        description:
          "Bank − ledger − in transit by the last run of reconciliation; null where no statement was compared.",
      }),
      status: z
        .enum(["NotReconciled", "Reconciled", "Broken"])
        .meta({ description: "The last run's. NotReconciled until a bank statement was compared." }),
      asOf: timestamp.meta({ description: "When the last run was made; without one, now." }),
    }),
  })
  .meta({ id: "Balances" });
export type Balances = z.infer<typeof balances>;
export const balancesQuery = z.strictObject({ ...pageQuery, ...moment });
