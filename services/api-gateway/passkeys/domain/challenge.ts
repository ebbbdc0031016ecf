import { createHash } from "node:crypto";
import { canonicalJson } from "../../../../contracts/canonical-json.ts";
import type { Mode } from "../../../../contracts/ids/ids.ts";

/** What a person is about to do, as their screen shows it. */
export interface Intent {
  /** The operation id: `approvePaymentOrder`. */
  readonly operation: string;
  readonly mode: Mode;
  /** The objects, at most 50; none for an operation without an id in its path. */
  readonly ids: readonly string[];
  /** The hash of each order that is shown, in the order of `ids`; none for other objects. */
  readonly orderHashes: readonly string[];
  /** The hash of the request's body: what a new key may do, who a new person is. Null for a decision on orders. */
  readonly bodyHash: string | null;
  /** The header If-Match of the request: the version that is shown. Null for a request without one. */
  readonly ifMatch: string | null;
}

/** SHA-256 in hex of a request's body in canonical JSON; null for a request without one. */
export function bodyHashOf(body: unknown): string | null {
  return body === undefined || body === null
    ? null
    : createHash("sha256").update(canonicalJson(body)).digest("hex");
}

/**
 * The challenge that a passkey signs: SHA-256 of the intent, the person and a random number. Whoever has the signature
 * can show what the person agreed to, and it is worth nothing for anything else.
 */
export function challengeOf(
  { operation, mode, ids, orderHashes, bodyHash, ifMatch }: Intent,
  principal: string,
  nonce: Buffer,
): Buffer {
  const said = [operation, mode, ids, orderHashes, bodyHash, ifMatch, principal, nonce.toString("base64url")];
  return createHash("sha256").update(JSON.stringify(said)).digest();
}
