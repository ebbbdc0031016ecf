import type { KeyObject } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { Refusal } from "../../../contracts/errors.ts";
import type { Idempotency } from "../../../contracts/message.ts";
import { fingerprintOf } from "./fingerprint.ts";

/** 1–255 printable ASCII characters, which every header can carry. */
const shape = /^[\x20-\x7e]{1,255}$/;

/**
 * The request's Idempotency-Key with the fingerprint of method, path, body, `If-Match` and, for a decision, the
 * principal; undefined without the header. The owning service stores both in the transaction of the write. Refusals:
 * `invalid_idempotency_key`.
 */
export function idempotencyOf(request: FastifyRequest, fingerprintKey: KeyObject): Idempotency | undefined {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return undefined;
  // Node joins them with ", ", so a request whose key a proxy repeats would count as another one.
  if (key.includes(", ") && (request.raw.headersDistinct["idempotency-key"]?.length ?? 1) > 1) {
    throw new Refusal("invalid_idempotency_key", "Send one header Idempotency-Key, not several.");
  }
  if (typeof key !== "string" || !shape.test(key)) {
    throw new Refusal(
      "invalid_idempotency_key",
      "Send an Idempotency-Key of 1 to 255 printable ASCII characters.",
    );
  }
  const { method, body, caller, headers, routeOptions } = request;
  const ifMatch = headers["if-match"];
  const path = request.url.split("?", 1)[0] ?? "";
  const principal = routeOptions.config.isDecision === true ? caller?.principal : undefined;
  return { key, fingerprint: fingerprintOf(fingerprintKey, { method, path, body, principal, ifMatch }) };
}
