import { Temporal } from "temporal-polyfill";
import { bankingWindow, type BankingWindow, type LocalTime, settlesAfterMs } from "./rail-rules.ts";
import type { Rail } from "./rails.ts";

/** Banks keep New York's wall clock, through both changes of daylight saving time. */
const zone = "America/New_York";

type Weekday = 1 | 2 | 3 | 4 | 5 | 6 | 7;
const monday: Weekday = 1;
const thursday: Weekday = 4;

/** The `nth` given weekday of a month; -1 is the last one. */
function nthWeekday(year: number, month: number, weekday: Weekday, nth: number): Temporal.PlainDate {
  const first = Temporal.PlainDate.from({ year, month, day: 1 });
  if (nth < 0) {
    const last = first.with({ day: first.daysInMonth });
    return last.subtract({ days: (last.dayOfWeek - weekday + 7) % 7 });
  }
  return first.add({ days: ((weekday - first.dayOfWeek + 7) % 7) + 7 * (nth - 1) });
}

/** A holiday with a fixed date: Sunday moves to Monday. Saturday does not move, and the Friday before stays open. */
function observed(year: number, month: number, day: number): Temporal.PlainDate {
  const date = Temporal.PlainDate.from({ year, month, day });
  return date.dayOfWeek === 7 ? date.add({ days: 1 }) : date;
}

/** The Reserve Banks' eleven holidays (Federal Reserve, K.8). */
function closuresOf(year: number): ReadonlySet<string> {
  const closures = [
    observed(year, 1, 1), // New Year's Day
    nthWeekday(year, 1, monday, 3), // Martin Luther King Jr.'s birthday
    nthWeekday(year, 2, monday, 3), // Washington's birthday
    nthWeekday(year, 5, monday, -1), // Memorial Day
    observed(year, 6, 19), // Juneteenth
    observed(year, 7, 4), // Independence Day
    nthWeekday(year, 9, monday, 1), // Labor Day
    nthWeekday(year, 10, monday, 2), // Columbus Day
    observed(year, 11, 11), // Veterans Day
    nthWeekday(year, 11, thursday, 4), // Thanksgiving
    observed(year, 12, 25), // Christmas Day
  ];
  return new Set(closures.filter((date) => date.dayOfWeek < 6).map(String));
}

const closuresByYear = new Map<number, ReadonlySet<string>>();

/** The weekdays (`YYYY-MM-DD`) on which the Reserve Banks are closed, in order of date. */
export function reserveBankClosures(year: number): ReadonlySet<string> {
  let closures = closuresByYear.get(year);
  if (closures === undefined) closuresByYear.set(year, (closures = closuresOf(year)));
  return closures;
}

/** The reason why banks are closed on a date, or null on a banking day. */
function closureReason(date: Temporal.PlainDate): "Weekend" | "Holiday" | null {
  if (date.dayOfWeek >= 6) return "Weekend";
  return reserveBankClosures(date.year).has(String(date)) ? "Holiday" : null;
}

/** True when banks are open on a date (`YYYY-MM-DD` in New York). */
export function isBankingDay(date: string): boolean {
  return closureReason(Temporal.PlainDate.from(date)) === null;
}

function bankingDayFrom(date: Temporal.PlainDate): Temporal.PlainDate {
  let day = date;
  while (closureReason(day) !== null) day = day.add({ days: 1 });
  return day;
}

/**
 * Adds banking days to a date: 1 is the next banking day; 0 is the date itself, or the next banking day when banks are
 * closed on it.
 */
export function addBankingDays(date: string, bankingDays: number): string {
  let day = bankingDayFrom(Temporal.PlainDate.from(date));
  for (let left = bankingDays; left > 0; left -= 1) day = bankingDayFrom(day.add({ days: 1 }));
  return String(day);
}

/** The last banking day before a date. */
export function bankingDayBefore(date: string): string {
  let day = Temporal.PlainDate.from(date).subtract({ days: 1 });
  while (closureReason(day) !== null) day = day.subtract({ days: 1 });
  return String(day);
}

/** Counts the banking days after `from`, up to and including `to`; 0 when `to` is not later. */
export function bankingDaysBetween(from: string, to: string): number {
  const end = Temporal.PlainDate.from(to);
  let days = 0;
  let day = Temporal.PlainDate.from(from);
  while (Temporal.PlainDate.compare(day, end) < 0) {
    day = day.add({ days: 1 });
    if (closureReason(day) === null) days += 1;
  }
  return days;
}

/** The banking day that an instant belongs to: its date in New York or, when banks are closed on it, the next one. */
export function bankingDayOf(at: Date): string {
  return String(bankingDayFrom(inNewYork(at).toPlainDate()));
}

/** The first instant of a date in New York. */
export function startOfDate(date: string): Date {
  return new Date(Temporal.PlainDate.from(date).toZonedDateTime(zone).epochMilliseconds);
}

/** A wall-clock time of a date in New York. */
export function localTime(date: string, time: LocalTime): Date {
  return instantOf(Temporal.PlainDate.from(date), time);
}

/** A date some calendar days later. */
export function addDays(date: string, days: number): string {
  return String(Temporal.PlainDate.from(date).add({ days }));
}

/** The end of a date in New York: the first instant of the next date. */
export function endOfDate(date: string): Date {
  return startOfDate(String(Temporal.PlainDate.from(date).add({ days: 1 })));
}

/**
 * The last banking day that has ended by `at`, if a day ends at `hour` o'clock of the next morning in New York. With 6,
 * Monday ends at six o'clock on Tuesday morning.
 */
export function lastBankingDayEndedBy(at: Date, hour: number): string {
  // Clocks change on Sundays, and no banking day ends then: subtracting whole hours is exact enough.
  return bankingDayBefore(newYorkDate(new Date(at.getTime() - hour * 60 * 60 * 1_000)));
}

/** The instant at `hour` o'clock in New York of the calendar day after a date. */
export function timeOnDayAfter(date: string, hour: number): Date {
  const day = Temporal.PlainDate.from(date).add({ days: 1 });
  const at = day.toZonedDateTime({ timeZone: zone, plainTime: { hour } });
  return new Date(at.epochMilliseconds);
}

/** The calendar date in New York at an instant, `YYYY-MM-DD`. */
export function newYorkDate(at: Date): string {
  return dateOfMinute("New York", at);
}

function inNewYork(at: Date): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone);
}

function instantOf(date: Temporal.PlainDate, time: LocalTime): Date {
  return new Date(date.toZonedDateTime({ timeZone: zone, plainTime: time }).epochMilliseconds);
}

/** A rail's window at an instant. A rail that is open around the clock has no cutoff. */
export type RailWindow =
  | { readonly open: true; readonly cutoffAt: Date | null }
  | {
      readonly open: false;
      /** The cutoff that was missed. */
      readonly cutoffAt: Date;
      readonly nextWindowOpensAt: Date;
      readonly reason: "AfterCutoff" | "Weekend" | "Holiday";
    };

/** The open or next window: the banking day that it belongs to, and when it opens and closes. */
interface WindowOfDay {
  readonly day: Temporal.PlainDate;
  readonly opensAt: Date;
  readonly closesAt: Date;
}

function windowOf(day: Temporal.PlainDate, window: BankingWindow): WindowOfDay {
  const opensOn = window.opensOn === "DayBefore" ? day.subtract({ days: 1 }) : day;
  const last = window.cutoffs.at(-1) ?? window.cutoffs[0];
  return { day, opensAt: instantOf(opensOn, window.opensAt), closesAt: instantOf(day, last.at) };
}

/** The first window that has not closed at that instant. */
function windowAhead(at: Date, today: Temporal.PlainDate, window: BankingWindow): WindowOfDay {
  let ahead = windowOf(bankingDayFrom(today), window);
  while (ahead.closesAt <= at) ahead = windowOf(bankingDayFrom(ahead.day.add({ days: 1 })), window);
  return ahead;
}

function lastCutoffBefore(day: Temporal.PlainDate, window: BankingWindow): Date {
  let before = day.subtract({ days: 1 });
  while (closureReason(before) !== null) before = before.subtract({ days: 1 });
  return windowOf(before, window).closesAt;
}

/**
 * Caches the last answer per subject for its minute: midnights, openings and cutoffs fall on whole minutes. Every order
 * reads these answers, and computing one costs up to 50 µs.
 */
function cachePerMinute<Subject, Answer>(
  compute: (subject: Subject, at: Date) => Answer,
): (subject: Subject, at: Date) => Answer {
  const cache = new Map<Subject, { minute: number; answer: Answer }>();
  return (subject, at) => {
    const minute = Math.floor(at.getTime() / 60_000);
    const cached = cache.get(subject);
    if (cached?.minute === minute) return cached.answer;
    const answer = compute(subject, at);
    cache.set(subject, { minute, answer });
    return answer;
  };
}

const dateOfMinute = cachePerMinute((_zone: "New York", at): string => String(inNewYork(at).toPlainDate()));

/**
 * Returns whether a rail takes an instruction at an instant. If it does not: the missed cutoff, the reason and the next
 * opening. An instruction exactly at the cutoff is late.
 */
export const windowAt = cachePerMinute((rail: Rail, at): RailWindow => {
  const today = inNewYork(at).toPlainDate();
  const window = bankingWindow(rail, String(today));
  if (window === null) return { open: true, cutoffAt: null };
  const ahead = windowAhead(at, today, window);
  if (ahead.opensAt <= at) return { open: true, cutoffAt: ahead.closesAt };
  return {
    open: false,
    cutoffAt: lastCutoffBefore(ahead.day, window),
    nextWindowOpensAt: ahead.opensAt,
    reason: closureReason(today) ?? "AfterCutoff",
  };
});

/**
 * The banking date (`YYYY-MM-DD` in New York) on which a payment settles when the rail gets it at an instant, or at the
 * next opening if the rail is closed. Rails that are open around the clock settle on the calendar date.
 */
export const expectedSettlementDate = cachePerMinute((rail: Rail, at): string => {
  const today = inNewYork(at).toPlainDate();
  const window = bankingWindow(rail, String(today));
  if (window === null) return String(today);
  return settlementOf(at, today, window).date;
});

/** The cutoff that a payment makes when the rail gets it at an instant, and the banking date on which it settles. */
function settlementOf(at: Date, today: Temporal.PlainDate, window: BankingWindow) {
  const ahead = windowAhead(at, today, window);
  const cutoff = window.cutoffs.find(({ at: time }) => at < instantOf(ahead.day, time)) ?? window.cutoffs[0];
  const date = addBankingDays(String(ahead.day), cutoff.settlesAfterBankingDays);
  return { opensAt: ahead.opensAt, cutoff, date };
}

/**
 * When a payment settles if the rail gets it at an instant, or at the next opening if the rail is closed: at the time
 * of its cutoff, or as soon as the network has carried it.
 * @param network of Usdc.
 */
export function settlementAt(rail: Rail, at: Date, network?: string): Date {
  const today = inNewYork(at).toPlainDate();
  const window = bankingWindow(rail, String(today));
  const takesMs = settlesAfterMs(rail, String(today), network);
  if (window === null) return new Date(at.getTime() + takesMs);
  const { opensAt, cutoff, date } = settlementOf(at, today, window);
  if (cutoff.settlesAt !== null) return localTime(date, cutoff.settlesAt);
  return new Date(Math.max(at.getTime(), opensAt.getTime()) + takesMs);
}

/**
 * The banking date that a settlement at an instant belongs to. Where the window opens the day before (Fedwire at
 * 21:00), the evening belongs to the next banking day.
 */
export const settlementDateOf = cachePerMinute((rail: Rail, at): string => {
  const today = inNewYork(at).toPlainDate();
  const window = bankingWindow(rail, String(today));
  if (window === null) return String(today);
  const opened = window.opensOn === "DayBefore" && at >= instantOf(today, window.opensAt);
  return String(bankingDayFrom(opened ? today.add({ days: 1 }) : today));
});
