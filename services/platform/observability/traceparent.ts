import { randomUUID } from "node:crypto";

const shape = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * The W3C `traceparent` of the next hop: same trace, own span. A missing or malformed parent begins a new trace, as
 * the recommendation asks.
 */
export function nextTraceparent(parent?: string): string {
  const [, trace, , flags] = (parent !== undefined && shape.exec(parent)) || [];
  return `00-${trace ?? randomHex()}-${randomHex().slice(0, 16)}-${flags ?? "01"}`;
}

/** 32 hex digits. Node keeps random bytes for UUIDs at hand; asking for fresh ones costs ten times as much. */
function randomHex(): string {
  return randomUUID().replaceAll("-", "");
}
