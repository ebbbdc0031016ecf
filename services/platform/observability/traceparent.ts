import { randomUUID } from "node:crypto";

const shape = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
const traceEnd = 36;
const spanEnd = traceEnd + 16;

/**
 * The W3C `traceparent` of the next hop: the same trace with a new span. A missing or malformed parent starts a new
 * trace, as W3C Trace Context requires.
 */
export function nextTraceparent(parent?: string): string {
  if (parent === undefined || !shape.test(parent)) return `00-${randomHex()}${randomHex()}-${randomHex()}-01`;
  return `${parent.slice(0, traceEnd)}${randomHex()}${parent.slice(spanEnd)}`;
}

/** 16 hex digits. From a UUID, because Node caches its random bytes: `randomBytes` costs ten times as much. */
function randomHex(): string {
  const uuid = randomUUID();
  return `${uuid.slice(0, 8)}${uuid.slice(-8)}`;
}
