import { createHash } from "node:crypto";
import { canonicalJson } from "../../../contracts/canonical-json.ts";
import type { OrderTerms } from "./payment-order.ts";

/**
 * SHA-256 of the canonical terms: what approvers approve, checked again at the gate. The account number enters as it
 * rests, sealed, so the hash gives nothing away.
 *
 * Orders have been hashed before there were counterparties and obligations: fields that came later enter only when
 * they are set, so that an order without them has the hash that it always had.
 */
export function orderHash({ counterpartyId, obligationId, ...terms }: OrderTerms): string {
  const fields = {
    ...terms,
    ...(counterpartyId === null ? {} : { counterpartyId }),
    ...(obligationId === null ? {} : { obligationId }),
  };
  return createHash("sha256")
    .update(`quittance-order-v1\n${canonicalJson(fields)}`)
    .digest("hex");
}
