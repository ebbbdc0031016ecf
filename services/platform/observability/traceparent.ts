import { randomUUID } from "node:crypto";

const shape = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * The W3C `traceparent` of the next hop: the same trace with a new span. A missing or malformed parent starts a new
 * trace, as W3C Trace Context requires.
 */
export function nextTraceparent(parent?: string): string {
  const [, trace, , flags] = (parent !== undefined && shape.exec(parent)) || [];
  return `00-${trace ?? randomHex()}-${randomHex().slice(0, 16)}-${flags ?? "01"}`;
}

/** 32 hex digits. From a UUID, because Node caches its random bytes: `randomBytes` costs ten times as much. */
function randomHex(): string {
  return randomUUID().replaceAll("-", "");
}
