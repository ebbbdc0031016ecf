import { createHmac, type KeyObject } from "node:crypto";

/** JSON with every object's keys in one order, so that the same body written differently is the same request. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

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
