import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { amountCents } from "../../money.ts";
import { namedEnum } from "../../named-enum.ts";
import { basis } from "../payments/payment-order-parts.ts";
import { lineText } from "../../text/text.ts";
import {
  anyTime,
  createdAt,
  createdAtFilters,
  externalId,
  sentExternalId,
  metadata,
  pageOf,
  oneOrMany,
  pageQuery,
  sentMetadata,
  storedExternalId,
  timestamp,
} from "../shapes.ts";
import { entryDirection, journalKind } from "./ledger-accounts.ts";

const description = lineText(255).min(1);

/** One side of a manual movement. `ledgerTransactionBody` refuses an entry with both names or none. */
const entryBody = z.strictObject({
  ledgerAccountId: z.string().max(64).optional().meta({
    description: "Your account, by its id. Send either this or `ledgerAccountName`.",
  }),
  ledgerAccountName: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: "Your account, by its exact name." }),
  direction: entryDirection,
  amountCents,
});
export type LedgerTransactionEntryBody = z.infer<typeof entryBody>;

const openingStatus = namedEnum("TransactionOpening", "How the transaction begins.", {
  Posted: "Moves the money at once.",
  Pending: "Holds the money until you post or void the transaction.",
});

/** The body of POST /v1/ledger-transactions. */
export const ledgerTransactionCreate = z
  .strictObject({
    description: description.meta({ description: "What it is for." }),
    status: openingStatus.default("Posted"),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, "must be an ISO 4217 code")
      .default("USD")
      .meta({ description: "ISO 4217 currency code. The same as that of every account named." }),
    entries: z
      .array(entryBody)
      .min(2)
      .max(100)
      .meta({ description: "2 to 100 entries. Debits equal credits. An account may occur more than once." }),
    effectiveAt: anyTime.optional().meta({
      description:
        "When the money moved. Default: now. Not in the future, not before the book began, not in a closed period.",
    }),
    basis: basis
      .default("Actual")
      .meta({ description: "Whether the amounts are real figures. Only Actual can be posted." }),
    externalId: sentExternalId.optional().meta({ description: "Your own reference. Unique in the book." }),
    metadata: sentMetadata.optional(),
  })
  .meta({ id: "LedgerTransactionCreate", description: "A balanced movement between your own accounts." });
export type LedgerTransactionCreate = z.output<typeof ledgerTransactionCreate>;

/** The same, with the rule that crosses fields: each entry names its account in exactly one way. */
export const ledgerTransactionBody = ledgerTransactionCreate.superRefine(({ entries }, context) => {
  entries.forEach(({ ledgerAccountId, ledgerAccountName }, index) => {
    if ((ledgerAccountId === undefined) !== (ledgerAccountName === undefined)) return;
    const path = ["entries", index, "ledgerAccountId"];
    if (ledgerAccountId === undefined) {
      const message = "is required, unless you send ledgerAccountName";
      context.addIssue({ code: "custom", path, message, params: { code: "missing_field" } });
    } else {
      const message = "can't be combined with ledgerAccountName";
      context.addIssue({ code: "custom", path, message });
    }
  });
});

export const ledgerTransactionPosting = z
  .strictObject({
    effectiveAt: anyTime.optional().meta({
      description:
        "When the money moved. Default: the transaction's `effectiveAt`. Not before that, not in the future, not in a closed period.",
    }),
  })
  .meta({ id: "LedgerTransactionPosting", description: "When the pending transaction takes effect." });
export type LedgerTransactionPosting = z.infer<typeof ledgerTransactionPosting>;

export const ledgerTransactionReversal = z
  .strictObject({ description: description.optional().meta({ description: "Why it is reversed." }) })
  .meta({ id: "LedgerTransactionReversal", description: "Why the transaction is reversed." });
export type LedgerTransactionReversal = z.infer<typeof ledgerTransactionReversal>;

const ownerKind = namedEnum("TransactionOwnerKind", "What the transaction belongs to.", {
  PaymentOrder: "A payment order.",
  InboundPayment: "An inbound payment.",
  Obligation: "An obligation.",
});
export const transactionOwner = z.object({
  kind: ownerKind,
  id: z.string().meta({ description: "The owner's id." }),
});
export type TransactionOwner = z.infer<typeof transactionOwner>;

const transactionStatus = namedEnum("LedgerTransactionStatus", "Whether the money has moved.", {
  Pending: "The money is held.",
  Posted: "The money has moved. A reversed transaction stays Posted, with `reversedAt`.",
  Voided: "The hold was ended. No money moved.",
});

export const ledgerTransaction = z
  .object({
    id: idSchema("lt"),
    status: transactionStatus,
    description: z.string().nullable().meta({ description: "What it is for. Null if it has an owner." }),
    currency: z.string().meta({ description: "ISO 4217 currency code." }),
    entries: z
      .array(
        z.object({
          ledgerAccountId: idSchema("la"),
          ledgerAccountName: z.string().meta({ description: "The account's name." }),
          direction: entryDirection,
          amountCents,
        }),
      )
      .meta({ description: "What it moves, or holds while it is Pending." }),
    basis: basis
      .nullable()
      .meta({ description: "Whether the amounts are real figures. Null if it has an owner." }),
    effectiveAt: timestamp.meta({
      description: "When the money moved, or when it was held if nothing has moved.",
    }),
    externalId: storedExternalId,
    metadata,
    owner: transactionOwner.nullable().meta({
      description: "What it belongs to: act on that. Null for your own transactions.",
    }),
    reversedAt: timestamp.nullable().meta({ description: "When it was reversed." }),
    journals: z
      .array(
        z.object({
          sequence: z.int().meta({ description: "The journal's number in the book." }),
          kind: journalKind,
          description: z.string().nullable().meta({ description: "What the journal is for." }),
          effectiveAt: timestamp.meta({ description: "When the money moved." }),
          createdAt: timestamp.meta({ description: "When it was recorded." }),
        }),
      )
      .meta({ description: "Its journals, oldest first. Each is balanced and never changes." }),
    createdAt,
  })
  .meta({ id: "LedgerTransaction", description: "A movement in the ledger, with all its journals." });
export type LedgerTransaction = z.infer<typeof ledgerTransaction>;

export const ledgerTransactionPage = pageOf(ledgerTransaction).meta({
  id: "LedgerTransactionPage",
  description: "One page of ledger transactions.",
});

export const ledgerTransactionQuery = z.strictObject({
  ...pageQuery,
  externalId: oneOrMany(externalId),
  ledgerAccountId: oneOrMany(idSchema("la"), "Has an entry on this account."),
  ...createdAtFilters,
});
export type LedgerTransactionQuery = z.output<typeof ledgerTransactionQuery>;
