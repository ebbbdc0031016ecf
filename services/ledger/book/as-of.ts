import { Refusal } from "../../../contracts/errors.ts";
import type { MomentQuery } from "../../../contracts/http/ledger/ledger-accounts.ts";

/**
 * A moment of the past, as one of two questions. Recorded: what did the book say then? To the millisecond, as times are
 * shown: a journal is in it from its own `createdAt` on. Effective: what had moved by the end of that day in New York,
 * by all that is known now, backdated journals too? That day may still be to come.
 */
export type AsOf =
  | { readonly kind: "Recorded"; readonly asOfMs: number }
  | { readonly kind: "Effective"; readonly day: string };

/** The moment that was asked for; null for now. Refusal: `invalid_request` for both at once. */
export function parseAsOf({ asOf, effectiveAsOf }: MomentQuery): AsOf | null {
  if (asOf !== undefined && effectiveAsOf !== undefined) {
    throw new Refusal(
      "invalid_request",
      "Leave out effectiveAsOf for what the book said at a time, or asOf for what had moved by the end of a day.",
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

/** What an answer says of its moment. */
export function asOfFields(moment: AsOf | null): { asOf?: string; effectiveAsOf?: string } {
  if (moment === null) return {};
  return moment.kind === "Recorded"
    ? { asOf: new Date(moment.asOfMs).toISOString() }
    : { effectiveAsOf: moment.day };
}

/** Services that make ids and the database that dates their rows do not read the same clock. */
const maxClockSkewMs = 86_400_000;

/**
 * Above the ids of all accounts that were opened by a time: ids begin with the time that they were made at, so a page
 * begins there instead of among what was opened since. Coarse; whoever reads looks at each account's date too.
 */
export function uuid7UpperBound(timeMs: number): string {
  const boundMs = Math.max(0, timeMs + maxClockSkewMs);
  const digits = boundMs.toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`;
}
