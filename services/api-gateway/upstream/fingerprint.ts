import { createHmac, type KeyObject } from "node:crypto";
import { canonicalJson } from "../../../contracts/canonical-json.ts";

interface FingerprintedRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly principal?: string | undefined;
  readonly ifMatch?: string | undefined;
}

/**
 * What an Idempotency-Key is bound to: method, path, body, the version that `If-Match` names and, for a decision, the
 * principal, because another principal's decision is another request. An HMAC, because bodies hold account numbers: a
 * plain hash could be found by trying all account numbers.
 */
export function fingerprintOf(key: KeyObject, request: FingerprintedRequest): string {
  const body = canonicalJson(request.body ?? {});
  // A missing body and `{}` are the same request.
  return createHmac("sha256", key)
    .update(`${request.method}\n${request.path}\n${body === "{}" ? "" : body}`)
    .update(request.principal === undefined ? "" : `\n${request.principal}`)
    .update(request.ifMatch === undefined ? "" : `\nIf-Match: ${request.ifMatch}`)
    .digest("base64url");
}
