import { Refusal } from "../../../../contracts/errors.ts";
import type { ClockAdvanceCreate } from "../../../../contracts/http/sandbox/clock.ts";
import {
  bankingDayOf,
  endOfDate,
  newYorkDate,
  startOfDate,
  windowAt,
} from "../../../../contracts/rails/banking-calendar.ts";
import type { Rail } from "../../../../contracts/rails/rails.ts";
import { rejectBadTime } from "./clock-setting.ts";

/**
 * The time that an advance goes to; null for the next event, whose time only the services know. Refusals:
 * `clock_goes_back`; `invalid_field`; `simulation_not_applicable` for a rail without windows.
 */
export function targetOf({ to, nextWindow, nextBankingDay }: ClockAdvanceCreate, now: Date): Date | null {
  if (to !== undefined) {
    const time = new Date(to);
    rejectBadTime("/to", time, now);
    return time;
  }
  if (nextWindow !== undefined) return nextOpening(nextWindow, now);
  if (nextBankingDay === true) return startOfDate(bankingDayOf(endOfDate(newYorkDate(now))));
  return null;
}

/** The next time at which the rail opens: of an open one, the opening after its cutoff. */
function nextOpening(rail: Rail, now: Date): Date {
  const window = windowAt(rail, now);
  if (!window.open) return window.nextWindowOpensAt;
  const next = window.cutoffAt === null ? null : windowAt(rail, window.cutoffAt);
  if (next === null || next.open) {
    const code = "simulation_not_applicable";
    const detail = `${rail} is open around the clock: it has no next window. Use to, nextBankingDay or nextEvent.`;
    throw new Refusal(code, detail, { errors: [{ pointer: "/nextWindow", code, message: detail }] });
  }
  return next.nextWindowOpensAt;
}
