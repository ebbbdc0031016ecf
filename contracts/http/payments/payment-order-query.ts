import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { maxAmountCents } from "../../money.ts";
import { orderDirection, rail } from "../../rails/rails.ts";
import { awaiting, orderStatus } from "./payment-order-parts.ts";
import {
  createdAtFilters,
  digitsAsNumber,
  externalId,
  metadata,
  oneOrMany,
  pageQuery,
  timeFilter,
} from "../shapes.ts";

/** A bound of a range of amounts. No order has 0, but a range may begin there. */
const boundCents = z.int("must be a whole number of cents").min(0).max(maxAmountCents);
const cents = (description: string) =>
  z.preprocess(digitsAsNumber, boundCents.optional().meta({ description, examples: [1_000] }));
const sorted = "The list is then in the order of that time.";
/** The range of a time that an order reaches once, or that changes with it. */
function timeFilters<Name extends string>(name: Name, reached: string) {
  return {
    [`${name}[gte]`]: timeFilter(`${reached} at or after this time (RFC 3339). ${sorted}`),
    [`${name}[lt]`]: timeFilter(`${reached} before this time (RFC 3339). ${sorted}`),
  } as Record<`${Name}[gte]` | `${Name}[lt]`, ReturnType<typeof timeFilter>>;
}
/** The filters of GET /v1/payment-orders: combined with AND; the values of a repeated one with OR. */
export const paymentOrderQuery = z.strictObject({
  ...pageQuery,
  status: oneOrMany(orderStatus, "Has one of these statuses."),
  rail: oneOrMany(rail, "Is on one of these rails."),
  direction: oneOrMany(orderDirection),
  awaiting: oneOrMany(awaiting),
  externalId: oneOrMany(externalId),
  idempotencyKey: oneOrMany(
    z
      .string()
      .regex(/^[\x20-\x7e]{1,255}$/)
      .meta({ examples: ["invoice-4711"] }),
    "The order that was created with this Idempotency-Key. Not one that a remittance made: its obligation shows it.",
  ),
  counterpartyId: oneOrMany(idSchema("cp")),
  ledgerAccountId: oneOrMany(idSchema("la")),
  ledgerAccountName: oneOrMany(
    z
      .string()
      .min(1)
      .max(100)
      .meta({ examples: ["Operating"] }),
    "The exact name of your ledger account.",
  ),
  returnCode: oneOrMany(
    z
      .string()
      .regex(/^[A-Z]{1,2}\d{2}$/)
      .meta({ examples: ["R01"] }),
    "Returned with this code.",
  ),
  "amountCents[gte]": cents("This amount in cents or more."),
  "amountCents[lte]": cents("This amount in cents or less."),
  ...createdAtFilters,
  ...timeFilters("submittedAt", "Submitted"),
  ...timeFilters("completedAt", "Completed"),
  ...timeFilters("returnedAt", "Returned"),
  ...timeFilters("decidedAt", "Approved, denied, cancelled or expired, having needed approvals,"),
  ...timeFilters("updatedAt", "Last changed"),
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
