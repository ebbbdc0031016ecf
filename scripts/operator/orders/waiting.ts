/** What an order waits for, for the commands that show it. */
import type { PaymentOrder, Phase } from "../../../services/orders/order/payment-order.ts";
import { phaseTimeouts } from "../../../services/orders/order/phase-timeouts.ts";

/** Columns of `orders.payment_order`. */
export interface WaitingRow {
  readonly phase: Phase;
  readonly rail: PaymentOrder["terms"]["rail"];
  readonly timeouts: number;
  readonly updated_at: Date;
  readonly due_at: Date | null;
  readonly due_at_in_book: Date | null;
}

/** Selects `timeouts`. */
export const timeoutsOfPhase = "(progress #>> '{timers,timeoutCount}')::int";

/** Phases that the ledger or a rail has to answer. The others wait for people, for a time, or for nothing. */
export const phasesThatNeedAnswers = (Object.keys(phaseTimeouts) as Phase[]).filter((phase) =>
  ["Ledger", "Rail"].includes(phaseTimeouts[phase]?.waitsFor ?? ""),
);

/** What the order waits for; null in a final phase and as a Draft. */
export function waitOf({ phase, rail, timeouts, updated_at, due_at, due_at_in_book }: WaitingRow) {
  const timeout = phaseTimeouts[phase];
  if (timeout === null) return null;
  const lastChangedAt = updated_at.toISOString();
  const nextTimeoutAt = (due_at ?? due_at_in_book)?.toISOString() ?? null;
  return {
    phase,
    waitsFor: timeout.waitsFor,
    rail,
    lastChangedAt,
    timeouts,
    nextTimeoutAt,
    onBookClock: due_at_in_book !== null,
  };
}

const gates: Readonly<Partial<Record<Phase, string>>> = {
  AwaitingApproval: "for approvals",
  AwaitingWindow: "for its date or a window of its rail",
  AwaitingReturns: "for returns",
};

export function waitInWords({
  phase,
  waitsFor,
  rail,
  lastChangedAt,
  timeouts,
  nextTimeoutAt,
  onBookClock,
}: NonNullable<ReturnType<typeof waitOf>>): string {
  const who = {
    Ledger: "for the ledger",
    Rail: `for its rail (${rail})`,
    Gate: `${gates[phase] ?? ""}, or until its tenant or book is active again`,
  };
  const next = nextTimeoutAt === null ? "" : `, it times out next at ${nextTimeoutAt}`;
  const clock = onBookClock ? " by the book's clock" : "";
  const times = timeouts === 1 ? "once" : `${String(timeouts)} times`;
  return `waits ${who[waitsFor]}; last changed at ${lastChangedAt}; timed out ${times}${next}${clock}`;
}
