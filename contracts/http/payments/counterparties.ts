import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { rail } from "../../rails/rails.ts";
import { externalId, metadata, pageOf, pageQuery, timestamp } from "../shapes.ts";

const accountType = z.enum(["Checking", "Savings", "Wallet"]);

/** An account of a counterparty on one rail, as its owner writes it down. */
export const counterpartyAccountBody = z.strictObject({
  rail: rail.exclude(["Book"]),
  accountNumber: z
    .string()
    .min(1)
    .max(100)
    .meta({ description: "A bank account number; on Usdc a wallet address. Sealed on arrival." }),
  routingNumber: z.string().min(1).max(34).meta({ description: "Nine digits (ABA); on Usdc the network." }),
  accountType: accountType.optional(),
});

/** The body of POST and PUT /v1/counterparties: PUT replaces in full. One account per rail. */
export const counterpartyBody = z
  .strictObject({
    name: z.string().min(1).max(140),
    type: z.enum(["Business", "Individual"]),
    email: z.email().max(254).optional(),
    externalId: externalId.optional().meta({ description: "Your own reference, unique in the book." }),
    accounts: z.array(counterpartyAccountBody).max(5).meta({ description: "At most one per rail." }),
    metadata: metadata.optional(),
  })
  .meta({ id: "CounterpartyBody" });
export type CounterpartyBody = z.infer<typeof counterpartyBody>;

export const verificationStatus = z.enum(["Unverified", "Verified", "Failed"]);

export const counterparty = z
  .object({
    id: idSchema("cp"),
    name: z.string(),
    type: z.enum(["Business", "Individual"]),
    email: z.string().nullable(),
    externalId: z.string().nullable(),
    accounts: z.array(
      z.object({
        rail,
        accountNumber: z.string().meta({ description: "Masked to the last four." }),
        routingNumber: z.string(),
        accountType: accountType.nullable(),
      }),
    ),
    verificationStatus: verificationStatus.meta({ description: "New bank details reset it to Unverified." }),
    verifiedBy: z.string().nullable().meta({ description: "The principal that verified it." }),
    verifiedAt: timestamp.nullable(),
    metadata,
    version: z.int().meta({ description: "Counts changes; the ETag." }),
    createdBy: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "Counterparty" });
export type Counterparty = z.infer<typeof counterparty>;

export const counterpartyPage = pageOf(counterparty).meta({ id: "CounterpartyPage" });
export const counterpartyQuery = z.strictObject({
  ...pageQuery,
  externalId: externalId.optional(),
  name: z.string().min(1).max(140).optional(),
  verificationStatus: verificationStatus.optional(),
});
