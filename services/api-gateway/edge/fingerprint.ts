import { createHmac, type KeyObject } from "node:crypto";
import { canonicalJson } from "../../../contracts/canonical-json.ts";

/**
 * What an Idempotency-Key is bound to: method, path and body. An HMAC, because bodies hold account numbers and a
 * plain hash of one could be guessed from a table of all account numbers.
 */
export function fingerprintOf(
  key: KeyObject,
  request: { method: string; path: string; body: unknown },
): string {
  return createHmac("sha256", key)
    .update(
      `${request.method}\n${request.path}\n${request.body === undefined ? "" : canonicalJson(request.body)}`,
    )
    .digest("base64url");
}
