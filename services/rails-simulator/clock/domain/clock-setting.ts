import { type BookClock, timeIn } from "../../../../contracts/book-clock.ts";
import { Refusal } from "../../../../contracts/errors.ts";
import type { ClockPut } from "../../../../contracts/http/sandbox/clock.ts";

const maxYearsAhead = 2;

/**
 * The clock that a tester sets. Time never goes back. Leaving Manual keeps the lead of the last advance or setting, so
 * the real time for which the clock has stood since then passes at once. Refusals: `clock_goes_back`; `invalid_field`
 * for a time too far ahead, or once the clock is not Instant.
 */
export function settingOf(current: BookClock, { mode, startAt }: ClockPut, realTime: Date): BookClock {
  const now = timeIn(current, realTime);
  const time = startAt === undefined ? now : new Date(startAt);
  if (startAt !== undefined) {
    if (current.mode !== "Instant") {
      throw invalidTime(
        "/startAt",
        `startAt counts only while the clock is Instant. It is ${current.mode}: make it Manual and advance it.`,
      );
    }
    rejectBadTime("/startAt", time, now);
  }
  const leadMs = Math.max(current.leadMs, time.getTime() - realTime.getTime());
  return { mode, leadMs, standsAt: mode === "Manual" ? time : null };
}

/** The clock of a Manual book that has arrived at `time`. Its lead never shrinks. */
export function advancedTo(current: BookClock, time: Date, realTime: Date): BookClock {
  const leadMs = Math.max(current.leadMs, time.getTime() - realTime.getTime());
  return { mode: "Manual", leadMs, standsAt: time };
}

/** Refusals: `clock_goes_back`; `invalid_field` for a time too far ahead. */
export function rejectBadTime(pointer: string, time: Date, now: Date): void {
  if (time < now) {
    const detail = `The clock can't go back: it is ${now.toISOString()} in this book. Send a later time.`;
    throw new Refusal("clock_goes_back", detail, {
      errors: [{ pointer, code: "clock_goes_back", message: "is before the time in the book" }],
      context: { now: now.toISOString() },
    });
  }
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + maxYearsAhead);
  if (time > latest) {
    throw invalidTime(
      pointer,
      `The time must be at most two years ahead of ${now.toISOString()}, the time in this book.`,
    );
  }
}

function invalidTime(pointer: string, detail: string): Refusal {
  return new Refusal("invalid_field", detail, {
    errors: [{ pointer, code: "invalid_field", message: detail }],
  });
}
