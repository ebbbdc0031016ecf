import type { Calendar } from "./book-state.ts";
import type { Rejection } from "./rejections.ts";

/** A caller's clock may be this far ahead of ours. */
const maxClockSkewMs = 5 * 60 * 1000;

/**
 * The date of a manual movement must not be in the future, before the book was created, or in a closed period, because
 * a reconciled period must not change. Postgres refuses closed periods again.
 */
export function rejectEffectiveDate(
  effectiveAt: Date,
  { now, began, closedThrough }: Calendar & { readonly now: Date },
): Rejection | null {
  if (effectiveAt.getTime() > now.getTime() + maxClockSkewMs) {
    return dateInvalid(
      `${effectiveAt.toISOString()} is in the future. Send a time that is not, or leave effectiveAt out.`,
    );
  }
  if (effectiveAt < began) {
    return dateInvalid(`The book begins at ${began.toISOString()}. Send that time or a later one.`);
  }
  if (closedThrough !== null && effectiveAt <= closedThrough) {
    return dateInvalid(
      `The period up to ${closedThrough.toISOString()} is closed. Send a later effectiveAt.`,
    );
  }
  return null;
}

/** A hold must not be posted with a date before its own: its balance by day would go below zero in between. */
export function rejectBeforeHold(effectiveAt: Date, heldAt: string): Rejection | null {
  if (effectiveAt >= new Date(heldAt)) return null;
  return dateInvalid(`The hold began at ${heldAt}. Send that time or a later one, or leave effectiveAt out.`);
}

function dateInvalid(detail: string): Rejection {
  return { code: "effective_date_invalid", detail };
}
