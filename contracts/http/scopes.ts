import { z } from "zod";

/** What a key may do. A route names the one that it needs. */
export const scopes = [
  "orders:read",
  "orders:write",
  "orders:approve",
  "ledger:read",
  "ledger:write",
  "webhooks:read",
  "webhooks:write",
  "counterparties:write",
  "keys:write",
  "policy:write",
  "simulate",
] as const;
export const scope = z.enum(scopes);
export type Scope = z.infer<typeof scope>;
