/** Finds objects by the start of a name, for the search. */
import { z } from "zod";
import { idSchema } from "../ids/ids.ts";
import { request } from "../message.ts";

const asked = z.object({ prefix: z.string().min(1).max(140), limit: z.int().min(1).max(100) });
const named = { name: z.string(), externalId: z.string().nullable(), status: z.string() };

/** Counterparties that are not archived, in the order of their names. */
export const FindCounterpartiesByName = request(
  "orders",
  "find-counterparties-by-name",
  asked,
  z.object({ data: z.array(z.object({ id: idSchema("cp"), ...named })) }),
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
