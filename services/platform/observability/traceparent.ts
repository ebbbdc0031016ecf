import { randomBytes } from "node:crypto";

const shape = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * The W3C `traceparent` of the next hop: same trace, own span. A missing or malformed parent begins a new trace, as
 * the recommendation asks.
 */
export function nextTraceparent(parent?: string): string {
  const [, trace, , flags] = (parent !== undefined && shape.exec(parent)) || [];
  return `00-${trace ?? randomBytes(16).toString("hex")}-${randomBytes(8).toString("hex")}-${flags ?? "01"}`;
}
