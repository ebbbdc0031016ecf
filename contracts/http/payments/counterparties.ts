import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { namedEnum } from "../../named-enum.ts";
import { externalRail, rail } from "../../rails/rails.ts";
import { nameText } from "../../text/text.ts";
import {
  createdAt,
  externalId,
  sentExternalId,
  metadata,
  oneOrMany,
  pageOf,
  pageQuery,
  principal,
  sentMetadata,
  storedExternalId,
  timestamp,
  updatedAt,
} from "../shapes.ts";

const accountType = namedEnum("AccountType", "The kind of bank account.", {
  Checking: "A checking account.",
  Savings: "A savings account.",
  Wallet: "A wallet on a chain.",
});
const counterpartyType = namedEnum("CounterpartyType", "Who the counterparty is.", {
  Business: "A company or another organization.",
  Individual: "A person.",
});

/** A counterparty's account on one rail, as a caller sends it. */
export const counterpartyAccountBody = z.strictObject({
  rail: externalRail,
  accountNumber: z.string().min(1).max(100).meta({
    description: "The bank account number, or the wallet address on Usdc. Encrypted when it is stored.",
  }),
  routingNumber: z
    .string()
    .min(1)
    .max(34)
    .meta({ description: "The ABA routing number (nine digits), or the network on Usdc." }),
  accountType: accountType.optional(),
});

/** The body of POST and PUT /v1/counterparties: PUT replaces in full. One account per rail. */
export const counterpartyBody = z
  .strictObject({
    name: nameText(140).meta({ description: "The name of the account's owner." }),
    type: counterpartyType,
    email: z.email().max(254).optional().meta({ description: "An address to reach the counterparty." }),
    externalId: sentExternalId.optional().meta({ description: "Your own reference. Unique in the book." }),
    accounts: z
      .array(counterpartyAccountBody)
      .max(5)
      .meta({ description: "The counterparty's accounts, at most one per rail." }),
    metadata: sentMetadata.optional(),
  })
  .meta({ id: "CounterpartyBody", description: "A counterparty with its accounts." });
export type CounterpartyBody = z.infer<typeof counterpartyBody>;

export const verificationStatus = namedEnum(
  "VerificationStatus",
  "Whether the bank details were verified. New bank details reset it to Unverified.",
  {
    Unverified: "Not verified yet. Orders can't name the counterparty.",
    Verified: "Another principal verified the details.",
    Failed: "The verification failed.",
  },
);

export const counterparty = z
  .object({
    id: idSchema("cp"),
    name: z.string().meta({ description: "The name of the account's owner." }),
    type: counterpartyType,
    email: z.string().nullable().meta({ description: "An address to reach the counterparty." }),
    externalId: storedExternalId,
    accounts: z
      .array(
        z.object({
          rail,
          accountNumber: z.string().meta({ description: "Masked except for the last four characters." }),
          routingNumber: z.string().meta({ description: "The ABA routing number, or the network on Usdc." }),
          accountType: accountType.nullable().meta({ description: "The kind of account, if you sent one." }),
        }),
      )
      .meta({ description: "The counterparty's accounts, one per rail." }),
    verificationStatus,
    verifiedBy: principal("The principal that verified it.").nullable(),
    verifiedAt: timestamp.nullable().meta({ description: "When it was verified." }),
    metadata,
    // The defaults are for answers that were stored before the fields were added.
    archivedAt: timestamp
      .nullable()
      .default(null)
      .meta({ description: "When it was archived. No new order can name it then." }),
    archivedBy: principal("The principal that archived it.").nullable().default(null),
    detailsEnteredBy: z.array(z.string()).default([]).meta({
      description:
        "The principals that entered its name, type or accounts, or changed them before it was verified. None of them can verify it.",
    }),
    version: z.int().meta({ description: "Rises with every change. Also the `ETag`." }),
    createdBy: principal("The principal that created it."),
    createdAt,
    updatedAt,
  })
  .meta({ id: "Counterparty", description: "Someone you pay or collect from." });
export type Counterparty = z.infer<typeof counterparty>;

export const counterpartyPage = pageOf(counterparty).meta({
  id: "CounterpartyPage",
  description: "One page of counterparties.",
});
export const counterpartyQuery = z.strictObject({
  ...pageQuery,
  externalId: oneOrMany(externalId),
  name: oneOrMany(
    z
      .string()
      .min(1)
      .max(140)
      .meta({ examples: ["Ada Example"] }),
    "Exactly this name.",
  ),
  verificationStatus: oneOrMany(verificationStatus, "Whether the bank details were verified."),
  archived: z.preprocess(
    (value) => (value === "true" ? true : value === "false" ? false : value),
    z
      .boolean()
      .optional()
      .meta({
        description: "True: the archived ones. Default: those that are not archived.",
        examples: [true],
      }),
  ),
});
