import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { amountCents } from "../../money.ts";
import { entryDirection, journalKinds } from "./ledger-accounts.ts";
import { basis } from "../payments/payment-orders.ts";
import { anyTime, externalId, metadata, pageOf, pageQuery, timeFilter, timestamp } from "../shapes.ts";

const description = z.string().min(1).max(255);

/** One side of a manual movement. Both names or none are refused by `ledgerTransactionBody`. */
const entryBody = z.strictObject({
  ledgerAccountId: z.string().max(64).optional().meta({
    description: "Your account; or name it by `ledgerAccountName`, one of the two.",
  }),
  ledgerAccountName: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: "In place of `ledgerAccountId`." }),
  direction: entryDirection,
  amountCents,
});
export type LedgerTransactionEntryBody = z.infer<typeof entryBody>;

/** The body of POST /v1/ledger-transactions. */
export const ledgerTransactionCreate = z
  .strictObject({
    description: description.meta({ description: "What it is, for people." }),
    status: z
      .enum(["Posted", "Pending"])
      .default("Posted")
      .meta({ description: "Pending reserves, until it is posted or voided." }),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, "must be an ISO 4217 code")
      .default("USD")
      .meta({ description: "ISO 4217; that of every account named." }),
    entries: z
      .array(entryBody)
      .min(2)
      .max(100)
      .meta({ description: "Debits equal credits. An account may come more than once." }),
    effectiveAt: anyTime.optional().meta({
      description:
        "When the money moved, if not now: not in the future, not before the book began, not in a closed period.",
    }),
    basis: basis
      .default("Actual")
      .meta({ description: "Demo and Missing can rest as Pending, and are never posted." }),
    externalId: externalId.optional().meta({ description: "Your own reference, unique in the book." }),
    metadata: metadata.optional(),
  })
  .meta({ id: "LedgerTransactionCreate" });
export type LedgerTransactionCreate = z.output<typeof ledgerTransactionCreate>;

/** The same, with the rule that crosses fields: each entry names its account in exactly one way. */
export const ledgerTransactionBody = ledgerTransactionCreate.superRefine(({ entries }, context) => {
  entries.forEach(({ ledgerAccountId, ledgerAccountName }, place) => {
    if ((ledgerAccountId === undefined) !== (ledgerAccountName === undefined)) return;
    const path = ["entries", place, "ledgerAccountId"];
    if (ledgerAccountId === undefined) {
      const message = "is required, or ledgerAccountName in its place";
      context.addIssue({ code: "custom", path, message, params: { code: "missing_field" } });
    } else {
      const message = "stands beside ledgerAccountName: send one of the two";
      context.addIssue({ code: "custom", path, message });
    }
  });
});

export const ledgerTransactionPosting = z
  .strictObject({
    effectiveAt: anyTime.optional().meta({
      description:
        "When the money moved, if not at the transaction's `effectiveAt`: not before that, not in the future, not in a closed period.",
    }),
  })
  .meta({ id: "LedgerTransactionPosting" });
export type LedgerTransactionPosting = z.infer<typeof ledgerTransactionPosting>;

export const ledgerTransactionReversal = z
  .strictObject({ description: description.optional().meta({ description: "Why it is undone." }) })
  .meta({ id: "LedgerTransactionReversal" });
export type LedgerTransactionReversal = z.infer<typeof ledgerTransactionReversal>;

export const transactionOwner = z.object({
  kind: z.enum(["PaymentOrder", "InboundPayment", "Obligation"]),
  id: z.string(),
});
export type TransactionOwner = z.infer<typeof transactionOwner>;

export const ledgerTransaction = z
  .object({
    id: idSchema("lt"),
    status: z.enum(["Pending", "Posted", "Voided"]).meta({
      description: "Pending → Posted or Voided. A reversed one stays Posted: see `reversedAt`.",
    }),
    description: z.string().nullable().meta({ description: "Null where it belongs to somebody." }),
    currency: z.string(),
    entries: z
      .array(
        z.object({
          ledgerAccountId: idSchema("la"),
          ledgerAccountName: z.string(),
          direction: entryDirection,
          amountCents,
        }),
      )
      .meta({ description: "What it moves, or holds while it is Pending." }),
    basis: basis.nullable(),
    effectiveAt: timestamp.meta({
      description:
        "When the money moved, or was held while nothing has moved; `createdAt` is when it was written.",
    }),
    externalId: z.string().nullable(),
    metadata,
    owner: transactionOwner.nullable().meta({
      description: "Whose it is: only its owner moves it on. Null for a transaction of your own.",
    }),
    reversedAt: timestamp.nullable(),
    journals: z
      .array(
        z.object({
          sequence: z.int(),
          kind: z.enum(journalKinds),
          description: z.string().nullable(),
          effectiveAt: timestamp,
          createdAt: timestamp,
        }),
      )
      .meta({
        description: "Every step of it, in order: each a balanced set of entries that never changes.",
      }),
    createdAt: timestamp,
  })
  .meta({ id: "LedgerTransaction" });
export type LedgerTransaction = z.infer<typeof ledgerTransaction>;

export const ledgerTransactionPage = pageOf(ledgerTransaction).meta({ id: "LedgerTransactionPage" });

export const ledgerTransactionQuery = z.strictObject({
  ...pageQuery,
  externalId: externalId.optional(),
  ledgerAccountId: idSchema("la")
    .optional()
    .meta({ description: "Only those with an entry on this account." }),
  "createdAt[gte]": timeFilter("Only those created at this time (RFC 3339) and later."),
  "createdAt[lt]": timeFilter("Only those created before this time (RFC 3339)."),
});
export type LedgerTransactionQuery = z.output<typeof ledgerTransactionQuery>;
