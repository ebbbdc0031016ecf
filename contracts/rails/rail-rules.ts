import { largestAmountCents } from "../money.ts";
import type { OrderDirection, Rail } from "./rails.ts";

/** A wall-clock time in America/New_York, `HH:MM`. */
export type LocalTime = `${number}:${number}`;

interface Cutoff {
  /** Hand-offs up to (not at) this time of the banking day make it … */
  readonly at: LocalTime;
  /** … and settle at this time, that many banking days later. */
  readonly settlesAt: LocalTime;
  readonly settlesAfterBankingDays: number;
}

/** When a rail takes payments for a banking day. The last cutoff closes it. */
export interface BankingWindow {
  /** `DayBefore`: the calendar day before the banking day (Fedwire opens on Sunday evening for Monday). */
  readonly opensOn: "SameDay" | "DayBefore";
  readonly opensAt: LocalTime;
  readonly cutoffs: readonly [Cutoff, ...Cutoff[]];
}

interface RailRule {
  readonly rail: Rail;
  /** The banking date from which it holds, until a later row of the same rail. */
  readonly effectiveFrom: string;
  /** A direction that is not here is not carried. */
  readonly largestAmountCents: Readonly<Partial<Record<OrderDirection, number>>>;
  /** Null stands open around the clock. */
  readonly window: BankingWindow | null;
}

const achWindow: BankingWindow = {
  opensOn: "SameDay",
  opensAt: "00:00",
  cutoffs: [{ at: "16:45", settlesAt: "08:30", settlesAfterBankingDays: 1 }],
};
const sameDayWindow: BankingWindow = {
  opensOn: "SameDay",
  opensAt: "00:00",
  cutoffs: [
    { at: "10:30", settlesAt: "13:00", settlesAfterBankingDays: 0 },
    { at: "14:45", settlesAt: "17:00", settlesAfterBankingDays: 0 },
    { at: "16:45", settlesAt: "18:00", settlesAfterBankingDays: 0 },
  ],
};
// The customers' cutoff; the Reserve Bank's own, for banks, is 18:45.
const wireWindow: BankingWindow = {
  opensOn: "DayBefore",
  opensAt: "21:00",
  cutoffs: [{ at: "17:00", settlesAt: "17:00", settlesAfterBankingDays: 0 }],
};

const begin = "2000-01-01";
// Nacha's amount field has ten digits.
const achLargestCents = 9_999_999_999;

function both(amountCents: number): RailRule["largestAmountCents"] {
  return { Credit: amountCents, Debit: amountCents };
}

/** Limits and windows change by date: a change is a row here, never an edit of one. */
export const railRules: readonly RailRule[] = [
  { rail: "Ach", effectiveFrom: begin, largestAmountCents: both(achLargestCents), window: achWindow },
  { rail: "SameDayAch", effectiveFrom: begin, largestAmountCents: both(10_000_000), window: sameDayWindow },
  {
    rail: "SameDayAch",
    effectiveFrom: "2022-03-18",
    largestAmountCents: both(100_000_000),
    window: sameDayWindow,
  },
  { rail: "Rtp", effectiveFrom: begin, largestAmountCents: { Credit: 100_000_000 }, window: null },
  { rail: "Rtp", effectiveFrom: "2025-02-09", largestAmountCents: { Credit: 1_000_000_000 }, window: null },
  {
    rail: "Wire",
    effectiveFrom: begin,
    largestAmountCents: { Credit: largestAmountCents },
    window: wireWindow,
  },
  { rail: "Book", effectiveFrom: begin, largestAmountCents: both(largestAmountCents), window: null },
  { rail: "Usdc", effectiveFrom: begin, largestAmountCents: { Credit: largestAmountCents }, window: null },
];

function ruleOn(rail: Rail, bankingDate: string): RailRule {
  const rule = railRules.findLast((row) => row.rail === rail && row.effectiveFrom <= bankingDate);
  if (rule === undefined) throw new RangeError(`no rule of ${rail} holds on ${bankingDate}`);
  return rule;
}

/**
 * What holds for a payment on a banking date (`YYYY-MM-DD` in New York): the largest amount, and since when; null
 * when the rail does not carry the direction (`direction_not_supported`).
 */
export function railRule(
  rail: Rail,
  direction: OrderDirection,
  bankingDate: string,
): { largestAmountCents: number; effectiveFrom: string } | null {
  const rule = ruleOn(rail, bankingDate);
  const largest = rule.largestAmountCents[direction];
  return largest === undefined ? null : { largestAmountCents: largest, effectiveFrom: rule.effectiveFrom };
}

/** The rail's window on a banking date, or null for one that stands open around the clock. */
export function bankingWindow(rail: Rail, bankingDate: string): BankingWindow | null {
  return ruleOn(rail, bankingDate).window;
}
