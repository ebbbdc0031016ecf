import { newYorkDate, settlementAt } from "../../../contracts/rails/banking-calendar.ts";
import { settlesAfterMs } from "../../../contracts/rails/rail-rules.ts";
import type { Rail } from "../../../contracts/rails/rails.ts";
import type { BookContext } from "./book-context.ts";
import type { PaymentOrder, Phase } from "./payment-order.ts";
import type { CommandName } from "./lifecycle.ts";

/** What happens when a phase has lasted too long. */
export type TimeoutAction =
  /** Sends the same command with the same id, which changes nothing if the first one arrived. */
  { readonly resend: CommandName } | { readonly run: "EvaluateGate" | "CompleteIfDelayOver" };

export interface PhaseTimeout {
  /**
   * What the phase waits for. Rail: waits in the time of the book. Ledger: waits in real time. Gate: waits in real time
   * for whoever suspended the tenant or froze the book; if the gate knows when it can decide, the order is due then.
   */
  readonly waitsFor: "Ledger" | "Gate" | "Rail";
  /** The wait until the next timeout. `timeoutCount` is how often the phase has timed out already. */
  readonly waitMs: (timeoutCount: number, terms: RailTerms, clocks: Clocks) => number;
  readonly action: TimeoutAction;
}

type RailTerms = Pick<PaymentOrder["terms"], "rail" | "counterpartyRoutingNumber">;
type Clocks = Pick<BookContext, "now" | "realNow" | "clock" | "hasOwnClock">;

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Each timeout doubles the wait. */
const doubling =
  (firstMs: number, maxMs = 5 * minuteMs) =>
  (timeoutCount: number) =>
    Math.min(firstMs * 2 ** Math.min(timeoutCount, 20), maxMs);

/**
 * How long a rail may be silent about a payment that it has accepted. A settlement of ACH comes when its rule says, so
 * the rail is asked two hours after that, then daily.
 */
const silence: Readonly<Record<Rail, PhaseTimeout["waitMs"]>> = {
  Ach: untilAfterSettlement,
  SameDayAch: untilAfterSettlement,
  Rtp: doubling(20 * secondMs, hourMs),
  Wire: doubling(30 * minuteMs, hourMs),
  Book: doubling(3 * secondMs),
  Usdc: (timeoutCount, { rail, counterpartyRoutingNumber: network }, { now }) => {
    const finalityMs = settlesAfterMs(rail, newYorkDate(now), network ?? undefined);
    return doubling(2 * finalityMs, hourMs)(timeoutCount);
  },
};

/** In an Instant book a payment settles within a second. */
function untilAfterSettlement(timeoutCount: number, { rail }: RailTerms, { now, clock }: Clocks): number {
  if (timeoutCount > 0) return dayMs;
  const settlesInMs = clock === "Instant" ? 0 : settlementAt(rail, now).getTime() - now.getTime();
  return settlesInMs + 2 * hourMs;
}

const ledger = { waitsFor: "Ledger", waitMs: doubling(10 * secondMs) } as const;
const gate = { waitsFor: "Gate", waitMs: doubling(30 * secondMs) } as const;
/**
 * A rail that has not answered is asked by the order's id. No timeout sends the instruction again; only
 * InstructionUnknown does.
 */
const rail = { waitsFor: "Rail", action: { resend: "InquireInstruction" } } as const;

/**
 * How long each phase may last. A Draft and a final phase have no timeout. An order that waits until a known time, such
 * as the opening of its rail, is due then instead (`decidesAgainAt` in hand-off-gate.ts).
 */
export const phaseTimeouts: Readonly<Record<Phase, PhaseTimeout | null>> = {
  Draft: null,
  ReservingFunds: { ...ledger, action: { resend: "PlaceHold" } },
  CancellingBeforeHold: { ...ledger, action: { resend: "PlaceHold" } },
  AwaitingApproval: { ...gate, action: { run: "EvaluateGate" } },
  AwaitingWindow: { ...gate, action: { run: "EvaluateGate" } },
  HandingOff: { ...rail, waitMs: doubling(3 * secondMs) },
  InFlight: { ...rail, waitMs: (count, terms, clocks) => silence[terms.rail](count, terms, clocks) },
  AwaitingReturns: { ...gate, action: { run: "CompleteIfDelayOver" } },
  Settling: { ...ledger, action: { resend: "SettleHold" } },
  ReleasingAsFailed: { ...ledger, action: { resend: "ReleaseHold" } },
  ReleasingAsReturned: { ...ledger, action: { resend: "ReleaseHold" } },
  ReleasingAsCancelled: { ...ledger, action: { resend: "ReleaseHold" } },
  Completed: null,
  PostingLateReturn: { ...ledger, action: { resend: "PostLateReturn" } },
  Failed: null,
  Returned: null,
  Cancelled: null,
};

/** When an order is due, and by which clock. */
type Due = Pick<PaymentOrder, "dueAt" | "dueAtInBook">;

/** When the phase of an order times out next. */
export function dueAfter(
  { phase, terms }: Pick<PaymentOrder, "phase" | "terms">,
  timeoutCount: number,
  clocks: Clocks,
): Due {
  const timeout = phaseTimeouts[phase];
  if (timeout === null) return { dueAt: null, dueAtInBook: null };
  const waitMs = timeout.waitMs(timeoutCount, terms, clocks);
  return timeout.waitsFor === "Rail"
    ? dueInBook(later(clocks.now, waitMs), clocks)
    : { dueAt: later(clocks.realNow, waitMs), dueAtInBook: null };
}

/** Due at a time in the book: on its clock if it has one of its own, else in real time, which is the same. */
export function dueInBook(at: Date, { hasOwnClock }: Pick<Clocks, "hasOwnClock">): Due {
  return hasOwnClock ? { dueAt: null, dueAtInBook: at } : { dueAt: at, dueAtInBook: null };
}

function later(than: Date, byMs: number): Date {
  return new Date(than.getTime() + byMs);
}
