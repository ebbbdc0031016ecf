import { hash } from "node:crypto";
import { canonicalJson } from "../../../contracts/canonical-json.ts";
import type { OrderTerms } from "./payment-order.ts";

/**
 * SHA-256 of the canonical terms: what approvers approve, checked again at the hand-off gate. The account number enters
 * encrypted, so the hash reveals nothing. counterpartyId and obligationId enter only if they are set, so that older
 * orders keep their hash.
 */
export function orderHash({ counterpartyId, obligationId, ...terms }: OrderTerms): string {
  const fields = {
    ...terms,
    ...(counterpartyId === null ? {} : { counterpartyId }),
    ...(obligationId === null ? {} : { obligationId }),
  };
  return hash("sha256", `quittance-order-v1\n${canonicalJson(fields)}`);
}
