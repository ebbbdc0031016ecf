import { createHash } from "node:crypto";
import { canonicalJson } from "../../../contracts/canonical-json.ts";
import type { FrozenFields } from "./payment-order.ts";

/**
 * SHA-256 of the canonical frozen fields: what approvers approve, checked again at the gate. The account number
 * enters as it rests, sealed, so the hash gives nothing away.
 */
export function orderHash(frozen: FrozenFields): string {
  return createHash("sha256")
    .update(`quittance-order-v1\n${canonicalJson(frozen)}`)
    .digest("hex");
}
