import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { externalId, metadata, pageOf, pageQuery, timestamp } from "../shapes.ts";

export const virtualAccountStatus = z.enum(["Active", "Disabled", "Closed"]).meta({
  description:
    "Active: what comes in goes to its ledger account. Disabled: to Suspense, until it is enabled again. Closed: to Suspense, for ever.",
});
export type VirtualAccountStatus = z.infer<typeof virtualAccountStatus>;

const name = z.string().min(1).max(100);

export const virtualAccountCreate = z
  .strictObject({
    name: name.meta({ description: "For your own eyes; not unique." }),
    ledgerAccountId: z
      .string()
      .max(64)
      .optional()
      .meta({ description: "Where its money goes. This or the name." }),
    ledgerAccountName: name.optional().meta({ description: "The ledger account by its name." }),
    counterpartyId: z.string().max(64).optional().meta({
      description:
        "Whom you gave the number to: a counterparty of the book. What comes in is not checked against it.",
    }),
    externalId: externalId.optional().meta({ description: "Your own reference, unique in the book." }),
    metadata: metadata.optional(),
  })
  .meta({ id: "VirtualAccountCreate" });
export type VirtualAccountCreate = z.infer<typeof virtualAccountCreate>;

export const virtualAccount = z
  .object({
    id: idSchema("va"),
    name: z.string(),
    status: virtualAccountStatus,
    accountNumber: z
      .string()
      .meta({ description: "17 digits, the last a check digit (Luhn). Whoever has it can send you money." }),
    routingNumber: z.string().meta({ description: "Of the bank that takes it in." }),
    ledgerAccountId: idSchema("la"),
    ledgerAccountName: z.string(),
    counterpartyId: idSchema("cp").nullable(),
    externalId: z.string().nullable(),
    metadata,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "VirtualAccount" });
export type VirtualAccount = z.infer<typeof virtualAccount>;

export const virtualAccountPage = pageOf(virtualAccount).meta({ id: "VirtualAccountPage" });
export const virtualAccountQuery = z.strictObject({
  ...pageQuery,
  ledgerAccountId: z.string().max(64).optional(),
  externalId: externalId.optional(),
});
export type VirtualAccountQuery = z.infer<typeof virtualAccountQuery>;
