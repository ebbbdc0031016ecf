import type { ClockMode } from "../../../../contracts/book-clock.ts";
import {
  addBankingDays,
  localTime,
  settlementAt,
  settlementDateOf,
} from "../../../../contracts/rails/banking-calendar.ts";
import type { Rail } from "../../../../contracts/rails/rails.ts";
import { returnWindowEnd } from "../../../../contracts/rails/return-windows.ts";

/** When a rail acts on a payment, in the time of its book. */
export interface Timetable {
  readonly now: Date;
  readonly isInstant: boolean;
  readonly settlesAt: Date;
  /** When a payment settles if a tester requests its late return. */
  readonly settlesBeforeLateReturnAt: Date;
  /** When a return before settlement arrives. */
  readonly returnsAt: Date;
  /** When a return arrives that uses the whole window of its code. */
  readonly lateReturnAt: (code: string, settledAt: Date) => Date;
  /** The time from an event to the one that follows from it. */
  readonly gapMs: number;
}

/** RTP settles in the transaction of the hand-off; the others visibly later, within a second. */
const instantlyAfterMs: Readonly<Record<Rail, number>> = {
  Rtp: 0,
  Wire: 200,
  SameDayAch: 250,
  Ach: 300,
  Usdc: 300,
  Book: 0,
};
/** From a settlement to its late return, too. If the order has not completed by then, orders defers the event. */
export const instantGapMs = 150;
const gapMs = 60_000;
/** A bank that refuses an entry before the settlement returns it this long before. */
const returnLeadMs = 30 * 60_000;
/** For a code without a fixed window, and for notices of change: as for most codes. */
const usualBankingDays = 2;

/**
 * The timetable of a payment that was handed off at `handedOffAt`. In an Instant book everything happens within a
 * second; in the others when the rail's rule says. The network is that of a wallet.
 */
export function timetableOf(
  { rail, network }: { readonly rail: Rail; readonly network?: string | undefined },
  mode: ClockMode,
  now: Date,
  handedOffAt: Date = now,
): Timetable {
  if (mode === "Instant") return instantTimetable(rail, now);
  return timetableByRule(rail, now, settlementAt(rail, handedOffAt, network));
}

function instantTimetable(rail: Rail, now: Date): Timetable {
  return {
    now,
    isInstant: true,
    settlesAt: later(now, instantlyAfterMs[rail]),
    settlesBeforeLateReturnAt: now,
    returnsAt: later(now, instantGapMs),
    lateReturnAt: (_code, settledAt) => later(settledAt, instantGapMs),
    gapMs: instantGapMs,
  };
}

function timetableByRule(rail: Rail, now: Date, byRule: Date): Timetable {
  const settlesAt = latest(now, byRule);
  return {
    now,
    isInstant: false,
    settlesAt,
    settlesBeforeLateReturnAt: settlesAt,
    returnsAt: latest(now, later(settlesAt, -returnLeadMs)),
    lateReturnAt: (code, settledAt) => {
      const date = settlementDateOf(rail, settledAt);
      return returnWindowEnd(code, date) ?? localTime(addBankingDays(date, usualBankingDays), "08:30");
    },
    gapMs,
  };
}

export function later(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}

function latest(a: Date, b: Date): Date {
  return a > b ? a : b;
}
