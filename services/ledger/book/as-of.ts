import { Refusal } from "../../../contracts/errors.ts";
import type { MomentQuery } from "../../../contracts/http/ledger/ledger-accounts.ts";

/**
 * The moment of a balance. Recorded: the balance in the book at that millisecond; a journal counts from its own
 * `createdAt` on. Effective: what had moved by the end of that day in New York, by everything recorded until now,
 * backdated journals included. That day may be in the future.
 */
export type AsOf =
  | { readonly kind: "Recorded"; readonly asOfMs: number }
  | { readonly kind: "Effective"; readonly day: string };

/** The requested moment; null for now. Refusals: `invalid_request` if the query has both parameters. */
export function parseAsOf({ asOf, effectiveAsOf }: MomentQuery): AsOf | null {
  if (asOf !== undefined && effectiveAsOf !== undefined) {
    throw new Refusal(
      "invalid_request",
      "Send either asOf (balances as recorded at that time) or effectiveAsOf (balances at the end of that day), not both.",
      {
        errors: [
          { pointer: "?effectiveAsOf", code: "invalid_field", message: "can't be combined with asOf" },
        ],
      },
    );
  }
  if (asOf !== undefined) return { kind: "Recorded", asOfMs: Date.parse(asOf) };
  return effectiveAsOf === undefined ? null : { kind: "Effective", day: effectiveAsOf };
}

/** The fields by which an answer names its moment. */
export function asOfFields(moment: AsOf | null): { asOf?: string; effectiveAsOf?: string } {
  if (moment === null) return {};
  return moment.kind === "Recorded"
    ? { asOf: new Date(moment.asOfMs).toISOString() }
    : { effectiveAsOf: moment.day };
}

/** The services that make ids and the database that dates rows have different clocks. */
const maxClockSkewMs = 86_400_000;

/**
 * An id above the ids of all accounts that were opened until `timeMs`: a UUIDv7 begins with its creation time. A page
 * that starts there skips most accounts opened later; the query leaves out the others by their date.
 */
export function uuid7UpperBound(timeMs: number): string {
  const boundMs = Math.max(0, timeMs + maxClockSkewMs);
  const digits = boundMs.toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`;
}
