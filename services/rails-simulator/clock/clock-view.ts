import { type BookClock, timeIn } from "../../../contracts/book-clock.ts";
import type { Clock, ClockAdvance } from "../../../contracts/http/sandbox/clock.ts";
import type { Advance } from "./store/clock-advances.ts";

export function viewOfClock(
  clock: BookClock,
  { seed, advance, realNow }: { seed: string; advance: Advance | undefined; realNow: Date },
): Clock {
  return {
    mode: clock.mode,
    now: timeIn(clock, realNow).toISOString(),
    leadSeconds: clock.leadMs / 1_000,
    seed,
    advanceId: advance?.id ?? null,
  };
}

/** `now` is the time in the book; an advance that is done has arrived, whatever happened since. */
export function viewOfAdvance(advance: Advance, now: Date): ClockAdvance {
  const { id, status, from, to, steps, waitingFor, createdAt, endedAt } = advance;
  return {
    id,
    status,
    from: from.toISOString(),
    to: to.toISOString(),
    now: (status === "Done" ? to : now).toISOString(),
    steps,
    waitingFor,
    createdAt: createdAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  };
}
