import type { ClockMode } from "../../../contracts/book-clock.ts";
import {
  expectedSettlementDate,
  newYorkDate,
  type RailWindow,
  windowAt,
} from "../../../contracts/rails/banking-calendar.ts";
import type { PaymentOrder, SettlementEstimate } from "./payment-order.ts";

interface BookTime {
  readonly now: Date;
  readonly clock: ClockMode;
}

/**
 * Cutoff and settlement date as of now: an estimate at submission, binding at hand-off. With the Instant clock, windows
 * are always open.
 */
export function estimateSettlement(order: PaymentOrder, context: BookTime): SettlementEstimate {
  const at = earliestHandOff(order, context);
  if (context.clock === "Instant") return { cutoff: null, expectedSettlementDate: newYorkDate(at) };
  const window = windowAt(order.terms.rail, at);
  const settlement = expectedSettlementDate(order.terms.rail, at);
  if (window.cutoffAt === null) return { cutoff: null, expectedSettlementDate: settlement };
  const open = {
    missed: false,
    cutoffAt: window.cutoffAt.toISOString(),
    nextWindowOpensAt: null,
    reason: null,
  };
  return {
    cutoff: window.open ? open : cutoffWhileClosed(order, window, window.reason),
    expectedSettlementDate: settlement,
  };
}

type ClosedWindow = Extract<RailWindow, { open: false }>;
type Cutoff = NonNullable<SettlementEstimate["cutoff"]>;

/**
 * The cutoff of an order that waits for its rail to open. It has missed the last one, unless that came before its
 * effective date (a Saturday, say): then nobody missed it, and the next one counts.
 */
export function cutoffWhileClosed(
  { terms: { rail, effectiveDate } }: PaymentOrder,
  { cutoffAt, nextWindowOpensAt }: ClosedWindow,
  reason: Cutoff["reason"],
): Cutoff {
  const opensAt = nextWindowOpensAt.toISOString();
  if (effectiveDate === null || effectiveDate <= newYorkDate(cutoffAt)) {
    return { missed: true, cutoffAt: cutoffAt.toISOString(), nextWindowOpensAt: opensAt, reason };
  }
  const next = windowAt(rail, nextWindowOpensAt).cutoffAt;
  return { missed: false, cutoffAt: next?.toISOString() ?? null, nextWindowOpensAt: opensAt, reason: null };
}

/** Now, or 17:00 UTC on the effective date if that is later: noon in New York in winter, 13:00 in summer. */
function earliestHandOff({ terms: { effectiveDate } }: PaymentOrder, { now }: BookTime): Date {
  if (effectiveDate === null || effectiveDate <= newYorkDate(now)) return now;
  return new Date(`${effectiveDate}T17:00:00.000Z`);
}
