import { z } from "zod";
import { namedEnum } from "./named-enum.ts";
import { timestamp } from "./http/shapes.ts";

export const clockMode = namedEnum("ClockMode", "How time passes in a Test book.", {
  Instant:
    "In real time. Windows are always open, rails settle within a second, and no order waits for returns.",
  Real: "In real time, with New York's windows, holidays, settlement times and return windows.",
  Manual: "As in Real, but only when you advance the clock.",
});
export type ClockMode = z.infer<typeof clockMode>;

/** A book's clock: what time it is in the book. Time never goes back, so the lead only grows. */
export interface BookClock {
  readonly mode: ClockMode;
  /** How far the book is ahead of real time, in milliseconds. */
  readonly leadMs: number;
  /** The time in a Manual book; null in the others. */
  readonly standsAt: Date | null;
}

/** The clock of a Test book until somebody sets it. */
export const instantClock: BookClock = { mode: "Instant", leadMs: 0, standsAt: null };

/** The seed of the simulation of a book that never set one. */
export const defaultSeed = "0";

/** The time in a book when it is `realTime` outside. */
export function timeIn({ leadMs, standsAt }: BookClock, realTime: Date): Date {
  return standsAt ?? (leadMs === 0 ? realTime : new Date(realTime.getTime() + leadMs));
}

/** A book's clock in a message. */
export const sentClock = z.object({
  mode: clockMode,
  leadMs: z.int().min(0),
  standsAt: timestamp.nullable(),
});

export function clockOfMessage({ mode, leadMs, standsAt }: z.output<typeof sentClock>): BookClock {
  return { mode, leadMs, standsAt: standsAt === null ? null : new Date(standsAt) };
}
