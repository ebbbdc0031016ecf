import { expectedSettlementDate, newYorkDate, windowAt } from "../../../contracts/rails/banking-calendar.ts";
import type { PaymentOrder, SettlementEstimate } from "./payment-order.ts";

interface BookTime {
  readonly now: Date;
  readonly clock: "Instant" | "Real";
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
  return {
    cutoff: {
      missed: !window.open,
      cutoffAt: window.cutoffAt.toISOString(),
      nextWindowOpensAt: window.open ? null : window.nextWindowOpensAt.toISOString(),
      reason: window.open ? null : window.reason,
    },
    expectedSettlementDate: settlement,
  };
}

/** Now, or 17:00 UTC on the effective date if that is later: noon in New York in winter, 13:00 in summer. */
function earliestHandOff({ terms: { effectiveDate } }: PaymentOrder, { now }: BookTime): Date {
  if (effectiveDate === null || effectiveDate <= newYorkDate(now)) return now;
  return new Date(`${effectiveDate}T17:00:00.000Z`);
}
