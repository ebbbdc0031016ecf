import { createHmac, type KeyObject } from "node:crypto";
import { canonicalJson } from "../../../contracts/canonical-json.ts";

/**
 * What an Idempotency-Key is bound to: method, path and body, and the principal where the request is its own word (an
 * approval: another's is another request). An HMAC, because bodies hold account numbers and a
 * plain hash of one could be guessed from a table of all account numbers.
 */
export function fingerprintOf(
  key: KeyObject,
  request: { method: string; path: string; body: unknown; principal?: string | undefined },
): string {
  const body = canonicalJson(request.body ?? {});
  // An action without a body and one with `{}` are the same request.
  return createHmac("sha256", key)
    .update(`${request.method}\n${request.path}\n${body === "{}" ? "" : body}`)
    .update(request.principal === undefined ? "" : `\n${request.principal}`)
    .digest("base64url");
}
