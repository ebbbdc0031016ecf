import type { Rejection } from "./rejections.ts";

/** Clocks differ: a caller's may be this far ahead. */
const clockSkewMs = 5 * 60 * 1000;

/**
 * What is wrong with the date that a caller gives a movement, or null. What is proven against the bank stays as it was
 * proven: nothing takes effect in a closed period.
 */
export function rejectEffectiveDate(
  effectiveAt: Date,
  book: { readonly now: Date; readonly began: Date; readonly closedThrough: Date | null },
): Rejection | null {
  if (effectiveAt.getTime() > book.now.getTime() + clockSkewMs) {
    return invalid(`${effectiveAt.toISOString()} is in the future. Date it now, or leave effectiveAt out.`);
  }
  if (effectiveAt < book.began) {
    return invalid(`The book began at ${book.began.toISOString()}. Date it then or later.`);
  }
  if (book.closedThrough !== null && effectiveAt <= book.closedThrough) {
    return invalid(
      `The period up to ${book.closedThrough.toISOString()} is closed. Send a later effectiveAt.`,
    );
  }
  return null;
}

function invalid(detail: string): Rejection {
  return { code: "effective_date_invalid", detail };
}
