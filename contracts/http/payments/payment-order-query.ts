import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { amountCents } from "../../money.ts";
import { orderDirection, rail } from "../../rails/rails.ts";
import { orderStatus } from "./payment-order-parts.ts";
import { createdAtFilters, externalId, metadata, oneOrMany, pageQuery } from "../shapes.ts";

/** Digits only: a lenient reading of numbers would take an empty text for 0. */
const cents = (description: string) =>
  z.preprocess(
    (value) => (typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value),
    amountCents.optional().meta({ description }),
  );
/** The filters of GET /v1/payment-orders: combined with AND; the values of a repeated one with OR. */
export const paymentOrderQuery = z.strictObject({
  ...pageQuery,
  status: oneOrMany(orderStatus, "Has one of these statuses."),
  rail: oneOrMany(rail, "Is on one of these rails."),
  direction: orderDirection.optional(),
  externalId: externalId.optional(),
  idempotencyKey: z
    .string()
    .regex(/^[\x20-\x7e]{1,255}$/)
    .optional()
    .meta({
      description: "The order that was created with this Idempotency-Key.",
      examples: ["invoice-4711"],
    }),
  counterpartyId: idSchema("cp").optional(),
  ledgerAccountId: idSchema("la").optional(),
  ledgerAccountName: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: "The exact name of your ledger account.", examples: ["Operating"] }),
  returnCode: z
    .string()
    .regex(/^[A-Z]{1,2}\d{2}$/)
    .optional()
    .meta({ description: "Returned with this code.", examples: ["R01"] }),
  "amountCents[gte]": cents("This amount in cents or more."),
  "amountCents[lte]": cents("This amount in cents or less."),
  ...createdAtFilters,
  metadata: metadata.optional().meta({
    description: "Has these metadata pairs: `metadata[team]=ops`.",
  }),
});
export type PaymentOrderQuery = z.infer<typeof paymentOrderQuery>;

/**
 * As a URL writes it: `metadata[team]=ops` for a pair. A malformed pair stays a parameter of its own, and is refused.
 */
export const paymentOrderQueryString = z.preprocess(withMetadata, paymentOrderQuery);

const metadataParameter = /^metadata\[(?<key>.+)\]$/s;

function withMetadata(query: unknown): unknown {
  if (typeof query !== "object" || query === null || Object.hasOwn(query, "metadata")) return query;
  const rest: [string, unknown][] = [];
  const pairs: [string, unknown][] = [];
  for (const [name, value] of Object.entries(query)) {
    const key = metadataParameter.exec(name)?.groups?.["key"];
    // A record drops this key silently, and a dropped filter would find too much.
    if (key === undefined || key === "__proto__") rest.push([name, value]);
    else pairs.push([key, value]);
  }
  return Object.fromEntries(pairs.length === 0 ? rest : [...rest, ["metadata", Object.fromEntries(pairs)]]);
}
