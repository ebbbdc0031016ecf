import { z } from "zod";
import { idSchema } from "../ids.ts";
import { amountCents, balanceCents, currency } from "../money.ts";
import { orderDirection } from "../rails.ts";
import { externalId, metadata, pageOf, pageQuery, timestamp } from "./shapes.ts";

export const ledgerAccountCreate = z
  .strictObject({
    name: z.string().min(1).max(100),
    currency: currency.default("USD"),
    normalBalance: z.enum(["Credit", "Debit"]).default("Credit"),
    /** Refused: a hold or posting that would take available below zero is refused. */
    overdraft: z.enum(["Allowed", "Refused"]).default("Allowed"),
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
    overdraft: z.enum(["Allowed", "Refused"]),
    externalId: z.string().nullable(),
    description: z.string().nullable(),
    metadata,
    /** Open outgoing holds, ≥ 0. */
    pendingBalanceCents: balanceCents,
    /** Open incoming holds, ≥ 0: a collection that has not settled. */
    pendingInboundCents: balanceCents,
    postedBalanceCents: balanceCents,
    /** Posted minus pending, exactly. */
    availableBalanceCents: balanceCents,
    /** The journal sequence that last touched it; 0 before the first. */
    lastSequence: z.int(),
    createdAt: timestamp,
  })
  .meta({ id: "LedgerAccount" });
export type LedgerAccount = z.infer<typeof ledgerAccount>;

export const ledgerAccountQuery = z.strictObject({ ...pageQuery, name: z.string().optional() });
export const ledgerAccountPage = pageOf(ledgerAccount).meta({ id: "LedgerAccountPage" });

export const journalKinds = ["Hold", "Settle", "Release", "LateReturn", "Post", "Reverse"] as const;

export const ledgerEntry = z
  .object({
    id: idSchema("le"),
    direction: orderDirection,
    amountCents,
    status: z.enum(["Pending", "Posted"]),
    transactionId: idSchema("lt"),
    /** The journal's gap-free number within the book. */
    sequence: z.int(),
    /** `Discharge` is the opposite Pending line that a settlement or release appends. */
    kind: z.enum([...journalKinds, "Discharge"]),
    reversesEntryId: idSchema("le").nullable(),
    paymentOrderId: idSchema("po").nullable(),
    effectiveAt: timestamp,
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
    asOf: timestamp,
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
      /** Settlement cash and stablecoin wallet, posted. */
      settlementCashCents: balanceCents,
      /** What the book owes: tenant accounts, Suspense and obligations, posted. */
      subLedgerCents: balanceCents,
      differenceCents: balanceCents,
      /** Attributed: the two agree. The comparison with the bank's statement is NotReconciled until one came. */
      status: z.enum(["NotReconciled", "Reconciled", "Broken"]),
      asOf: timestamp,
    }),
  })
  .meta({ id: "Balances" });
export type Balances = z.infer<typeof balances>;
export const balancesQuery = z.strictObject({ ...pageQuery });
