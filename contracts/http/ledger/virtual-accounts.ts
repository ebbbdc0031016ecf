import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { namedEnum } from "../../named-enum.ts";
import { linesText, nameText } from "../../text/text.ts";
import {
  createdAt,
  externalId,
  sentExternalId,
  mergePatch,
  metadata,
  metadataPatch,
  pageOf,
  oneOrMany,
  pageQuery,
  sentMetadata,
  storedExternalId,
  updatedAt,
} from "../shapes.ts";

export const virtualAccountStatus = namedEnum("VirtualAccountStatus", "Where incoming money goes.", {
  Active: "To its ledger account.",
  Disabled: "To Suspense, until it is enabled again.",
  Closed: "To Suspense, for good.",
});
export type VirtualAccountStatus = z.infer<typeof virtualAccountStatus>;

const note = linesText(255).meta({ description: "A note for yourself." });

export const virtualAccountCreate = z
  .strictObject({
    name: nameText(100).meta({ description: "A label for yourself. Not unique." }),
    ledgerAccountId: z.string().max(64).optional().meta({
      description:
        "The ledger account for incoming money, by its id. Send either this or `ledgerAccountName`.",
    }),
    ledgerAccountName: z.string().min(1).max(100).optional().meta({
      description: "The ledger account for incoming money, by its exact name.",
    }),
    counterpartyId: z.string().max(64).optional().meta({
      description: "The counterparty that you give the number to. Incoming money is not checked against it.",
    }),
    externalId: sentExternalId.optional().meta({ description: "Your own reference. Unique in the book." }),
    description: note.optional(),
    metadata: sentMetadata.optional(),
  })
  .meta({ id: "VirtualAccountCreate", description: "A new virtual account." });
export type VirtualAccountCreate = z.infer<typeof virtualAccountCreate>;

/** The body of PATCH /v1/virtual-accounts/:id, a JSON merge patch (RFC 7396). */
export const virtualAccountPatch = mergePatch(
  z.strictObject({ description: note.nullish(), metadata: metadataPatch.nullish() }).meta({
    id: "VirtualAccountPatch",
    description: "The fields to change. Null removes the description, a pair of metadata, or all pairs.",
  }),
);
export type VirtualAccountPatch = z.infer<typeof virtualAccountPatch>;

export const virtualAccount = z
  .object({
    id: idSchema("va"),
    name: z.string().meta({ description: "A label for yourself." }),
    status: virtualAccountStatus,
    accountNumber: z
      .string()
      .meta({ description: "17 digits. The last is a check digit (Luhn). Anyone can pay in to it." }),
    routingNumber: z.string().meta({ description: "The routing number of the receiving bank." }),
    ledgerAccountId: idSchema("la").meta({ description: "The ledger account for incoming money." }),
    ledgerAccountName: z.string().meta({ description: "The name of that ledger account." }),
    counterpartyId: idSchema("cp")
      .nullable()
      .meta({ description: "The counterparty that you gave the number to." }),
    externalId: storedExternalId,
    // Absent in answers that were stored before there was one.
    description: z.string().nullable().optional().meta({ description: "A note for yourself." }),
    metadata,
    createdAt,
    updatedAt,
  })
  .meta({
    id: "VirtualAccount",
    description: "An account number of your own. Incoming money goes to its ledger account.",
  });
export type VirtualAccount = z.infer<typeof virtualAccount>;

export const virtualAccountPage = pageOf(virtualAccount).meta({
  id: "VirtualAccountPage",
  description: "One page of virtual accounts.",
});
export const virtualAccountQuery = z.strictObject({
  ...pageQuery,
  ledgerAccountId: oneOrMany(idSchema("la")),
  externalId: oneOrMany(externalId),
});
export type VirtualAccountQuery = z.infer<typeof virtualAccountQuery>;
