import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { amountCents } from "../../money.ts";
import { orderDirection, rail } from "../../rails/rails.ts";
import { orderStatus } from "./payment-orders.ts";
import { externalId, metadata, pageQuery, timeFilter } from "../shapes.ts";

const oneOrMany = <T extends z.ZodType>(item: T) =>
  z.preprocess(
    (value) => (value === undefined || Array.isArray(value) ? value : [value]),
    z.array(item).optional(),
  );

/** Digits only: a lenient reading of numbers would take an empty text for 0. */
const cents = (description: string) =>
  z.preprocess(
    (value) => (typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value),
    amountCents.optional().meta({ description }),
  );
/** The filters of GET /v1/payment-orders: an order must fit all that are sent, and one of a repeated one's values. */
export const paymentOrderQuery = z.strictObject({
  ...pageQuery,
  status: oneOrMany(orderStatus),
  rail: oneOrMany(rail),
  direction: orderDirection.optional(),
  externalId: externalId.optional(),
  idempotencyKey: z
    .string()
    .regex(/^[\x20-\x7e]{1,255}$/)
    .optional()
    .meta({ description: "The order that was created under this Idempotency-Key." }),
  counterpartyId: idSchema("cp").optional(),
  ledgerAccountId: idSchema("la").optional(),
  ledgerAccountName: z.string().min(1).max(100).optional(),
  returnCode: z
    .string()
    .regex(/^[A-Z]{1,2}\d{2}$/)
    .optional()
    .meta({ description: "Only those that came back with this code, `R01`." }),
  "amountCents[gte]": cents("Only those of this amount and more."),
  "amountCents[lte]": cents("Only those of this amount and less."),
  "createdAt[gte]": timeFilter("Only those created at this time (RFC 3339) and later."),
  "createdAt[lt]": timeFilter("Only those created before this time (RFC 3339)."),
  metadata: metadata.optional().meta({
    description: "Only those with these pairs: `metadata[team]=ops`.",
  }),
});
export type PaymentOrderQuery = z.infer<typeof paymentOrderQuery>;

/** As it comes in a URL: `metadata[team]=ops` for a pair. What has no place among the pairs stays, and is refused. */
export const paymentOrderQueryString = z.preprocess(withMetadata, paymentOrderQuery);

const metadataParameter = /^metadata\[(?<key>.+)\]$/s;

function withMetadata(query: unknown): unknown {
  if (typeof query !== "object" || query === null || Object.hasOwn(query, "metadata")) return query;
  const rest: [string, unknown][] = [];
  const pairs: [string, unknown][] = [];
  for (const [name, value] of Object.entries(query)) {
    const key = metadataParameter.exec(name)?.groups?.["key"];
    // A record drops this key without a word, and a filter that is dropped finds too much.
    if (key === undefined || key === "__proto__") rest.push([name, value]);
    else pairs.push([key, value]);
  }
  return Object.fromEntries(pairs.length === 0 ? rest : [...rest, ["metadata", Object.fromEntries(pairs)]]);
}
