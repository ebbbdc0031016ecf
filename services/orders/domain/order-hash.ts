import { createHash } from "node:crypto";
import type { FrozenFields } from "./payment-order.ts";

/** JSON with members in one order, so that the same fields always give the same text. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value ?? null);
  const pairs = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${pairs.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}

/**
 * SHA-256 of the canonical frozen fields: what approvers approve, checked again at the gate. The account number
 * enters as it rests, sealed, so the hash gives nothing away.
 */
export function orderHash(frozen: FrozenFields): string {
  return createHash("sha256")
    .update(`quittance-order-v1\n${canonical(frozen)}`)
    .digest("hex");
}
