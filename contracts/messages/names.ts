/** Finds objects by the start of a name, for the search. */
import { z } from "zod";
import { orderStatus } from "../http/payments/payment-order-parts.ts";
import { timestamp } from "../http/shapes.ts";
import { idSchema } from "../ids/ids.ts";
import { request } from "../message.ts";
import { amountCents } from "../money.ts";
import { rail } from "../rails/rails.ts";

const asked = z.object({ prefix: z.string().min(1).max(140), limit: z.int().min(1).max(100) });
const named = {
  name: z.string(),
  externalId: z.string().nullable(),
  status: z.string(),
  /** Null from a service of the previous release. */
  createdAt: timestamp.nullable().default(null),
};

/** Counterparties that are not archived, in the order of their names. */
export const FindCounterpartiesByName = request(
  "orders",
  "find-counterparties-by-name",
  asked,
  z.object({
    data: z.array(
      z.object({
        id: idSchema("cp"),
        ...named,
        /** Its first account; null if it has none. */
        account: z.object({ rail, accountNumber: z.string() }).nullable().default(null),
      }),
    ),
  }),
);
/**
 * Orders whose payee was typed in, not taken from a counterparty, by the start of the payee's name: by name, the newest
 * first. An order is found while it is with people or at its rail, and once it has ended; not in the moments between.
 */
export const FindOrdersByPayee = request(
  "orders",
  "find-orders-by-payee",
  asked,
  z.object({
    data: z.array(
      z.object({
        id: idSchema("po"),
        counterpartyName: z.string(),
        externalId: z.string().nullable(),
        status: orderStatus,
        amountCents,
        rail,
        counterpartyAccountNumber: z.string().nullable(),
        createdAt: timestamp,
      }),
    ),
  }),
);
/** The tenant's own accounts and virtual accounts, `limit` of each, in the order of their names. */
export const FindAccountsByName = request(
  "ledger",
  "find-accounts-by-name",
  asked,
  z.object({
    accounts: z.array(z.object({ id: idSchema("la"), ...named })),
    virtualAccounts: z.array(z.object({ id: idSchema("va"), ...named })),
  }),
);
