import { maxAmountCents } from "../money.ts";
import type { OrderDirection, Rail } from "./rails.ts";

/** A wall-clock time in America/New_York, `HH:MM`. */
export type LocalTime = `${number}:${number}`;

interface Cutoff {
  /** The rail takes instructions strictly before this time of the banking day. */
  readonly at: LocalTime;
  /** They settle at this time, `settlesAfterBankingDays` later; null: each after the rail's `settlesAfterMs`. */
  readonly settlesAt: LocalTime | null;
  readonly settlesAfterBankingDays: number;
}

/** The hours in which a rail takes instructions for one banking day. The last cutoff ends them. */
export interface BankingWindow {
  /** `DayBefore`: the calendar day before the banking day (Fedwire opens on Sunday evening for Monday). */
  readonly opensOn: "SameDay" | "DayBefore";
  readonly opensAt: LocalTime;
  readonly cutoffs: readonly [Cutoff, ...Cutoff[]];
}

interface RailRule {
  readonly rail: Rail;
  /** The first banking date of this rule. A later row of the same rail ends it. */
  readonly effectiveFrom: string;
  /** The rail does not carry a direction that is missing here. */
  readonly maxAmountCents: Readonly<Partial<Record<OrderDirection, number>>>;
  /** Null: open around the clock. */
  readonly window: BankingWindow | null;
  /** How long a single payment takes to settle; 0 where payments settle together at the times of the cutoffs. */
  readonly settlesAfterMs: number;
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

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
// The cutoff for customers. The Reserve Bank's cutoff for banks is 18:45.
const wireWindow: BankingWindow = {
  opensOn: "DayBefore",
  opensAt: "21:00",
  cutoffs: [{ at: "17:00", settlesAt: null, settlesAfterBankingDays: 0 }],
};

const begin = "2000-01-01";
// Nacha's amount field has ten digits.
const achMaxCents = 9_999_999_999;

function both(amountCents: number): RailRule["maxAmountCents"] {
  return { Credit: amountCents, Debit: amountCents };
}

/** Limits and windows change by date: add a row for a change and never edit one. */
export const railRules: readonly RailRule[] = [
  {
    rail: "Ach",
    effectiveFrom: begin,
    maxAmountCents: both(achMaxCents),
    window: achWindow,
    settlesAfterMs: 0,
  },
  {
    rail: "SameDayAch",
    effectiveFrom: begin,
    maxAmountCents: both(10_000_000),
    window: sameDayWindow,
    settlesAfterMs: 0,
  },
  {
    rail: "SameDayAch",
    effectiveFrom: "2022-03-18",
    maxAmountCents: both(100_000_000),
    window: sameDayWindow,
    settlesAfterMs: 0,
  },
  {
    rail: "Rtp",
    effectiveFrom: begin,
    maxAmountCents: { Credit: 100_000_000 },
    window: null,
    settlesAfterMs: 3 * secondMs,
  },
  {
    rail: "Rtp",
    effectiveFrom: "2025-02-09",
    maxAmountCents: { Credit: 1_000_000_000 },
    window: null,
    settlesAfterMs: 3 * secondMs,
  },
  {
    rail: "Wire",
    effectiveFrom: begin,
    maxAmountCents: { Credit: maxAmountCents },
    window: wireWindow,
    settlesAfterMs: 2 * minuteMs,
  },
  {
    rail: "Book",
    effectiveFrom: begin,
    maxAmountCents: both(maxAmountCents),
    window: null,
    settlesAfterMs: 0,
  },
  // A block of Ethereum or Base is final after 13 to 19 minutes.
  {
    rail: "Usdc",
    effectiveFrom: begin,
    maxAmountCents: { Credit: maxAmountCents },
    window: null,
    settlesAfterMs: 16 * minuteMs,
  },
];

function ruleOn(rail: Rail, bankingDate: string): RailRule {
  const rule = railRules.findLast((row) => row.rail === rail && row.effectiveFrom <= bankingDate);
  if (rule === undefined) throw new RangeError(`no rule of ${rail} holds on ${bankingDate}`);
  return rule;
}

/**
 * The most that one order may move over the rail on a banking date (`YYYY-MM-DD` in New York), and the first date of
 * this limit. Null if the rail does not carry the direction (`direction_not_supported`).
 */
export function railLimit(
  rail: Rail,
  direction: OrderDirection,
  bankingDate: string,
): { maxAmountCents: number; effectiveFrom: string } | null {
  const rule = ruleOn(rail, bankingDate);
  const largest = rule.maxAmountCents[direction];
  return largest === undefined ? null : { maxAmountCents: largest, effectiveFrom: rule.effectiveFrom };
}

/** The rail's window on a banking date, or null when the rail is open around the clock. */
export function bankingWindow(rail: Rail, bankingDate: string): BankingWindow | null {
  return ruleOn(rail, bankingDate).window;
}

/** Chains whose blocks are final sooner than those of Ethereum and Base. */
const finalAfterMs: ReadonlyMap<string, number> = new Map([
  ["polygon", 8 * secondMs],
  ["solana", 8 * secondMs],
]);

/**
 * How long a payment of the rail takes to settle, where each settles alone.
 * @param network of Usdc; without it, the slowest.
 */
export function settlesAfterMs(rail: Rail, bankingDate: string, network = ""): number {
  const { settlesAfterMs: usual } = ruleOn(rail, bankingDate);
  return rail === "Usdc" ? (finalAfterMs.get(network) ?? usual) : usual;
}
