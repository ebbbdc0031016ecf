import type { z } from "zod";
import { namedEnum } from "../named-enum.ts";

/** What a caller may do. A route names the one that it needs. */
export const scope = namedEnum("Scope", "What a caller may do: an API key, or a person by their roles.", {
  "orders:read": "Read payment orders, counterparties, the inbox and the approval policy; search.",
  "orders:write": "Create, preview, change, submit and cancel payment orders; remit an obligation.",
  "orders:approve":
    "Approve and deny payment orders; post and void pending transactions, and make assignments, that another principal has proposed.",
  "ledger:read":
    "Read accounts, transactions, virtual accounts, inbound payments, obligations, reconciliations and the ledger proof.",
  "ledger:write":
    "Create and change accounts, transactions, virtual accounts and obligations; assign inbound payments; request a reconciliation.",
  "webhooks:read": "Read webhook endpoints, events, deliveries and refused requests.",
  "webhooks:write":
    "Create and change webhook endpoints, rotate their secrets, create test sinks, and retry and replay deliveries.",
  "counterparties:write":
    "Create, replace, verify, archive and restore counterparties; decide on corrections of their details.",
  "keys:write": "Create, rotate, revoke and approve API keys.",
  "policy:write": "Change the approval policy and decide proposals.",
  "people:write": "Create and suspend people, give and take away their roles, and read the audit log.",
  simulate: "Control the simulated rails and bank. Test keys only.",
});
export const scopes = scope.options;
export type Scope = z.infer<typeof scope>;

/** Scopes that decide on what others made: nobody makes a key with them alone, not even for themselves. */
export const approvingScopes: readonly Scope[] = [
  "orders:approve",
  "policy:write",
  "keys:write",
  "people:write",
];

/**
 * Scopes that make what others approve. With one of these under a second name, a principal could approve what they made
 * themselves.
 */
export const makingScopes: readonly Scope[] = ["orders:write", "counterparties:write", "ledger:write"];
