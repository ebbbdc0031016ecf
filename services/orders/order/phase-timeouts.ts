import type { BookContext } from "./hand-off-gate.ts";
import type { PaymentOrder, Phase } from "./payment-order.ts";
import type { CommandName } from "./lifecycle.ts";

/** What happens when a phase has lasted too long. */
export type TimeoutAction =
  /** Sends the same command with the same id, which changes nothing if the first one arrived. */
  { readonly resend: CommandName } | { readonly run: "EvaluateGate" | "CompleteIfDelayOver" };

export interface PhaseTimeout {
  /**
   * What the phase waits for. A rail answers in the time of the book. The ledger answers in real time, and so does
   * whoever suspended the tenant or froze the book: where the gate knows a time, the order is due then instead.
   */
  readonly waitsFor: "Ledger" | "Gate" | "Rail";
  readonly afterMs: number;
  readonly action: TimeoutAction;
}

const ledger = { waitsFor: "Ledger", afterMs: 10_000 } as const;
const gate = { waitsFor: "Gate", afterMs: 30_000 } as const;
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
  HandingOff: { ...rail, afterMs: 3_000 },
  InFlight: { ...rail, afterMs: 30_000 },
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

const maxTimeoutMs = 300_000;

/** When an order is due, and by which clock. */
type Due = Pick<PaymentOrder, "dueAt" | "dueAtInBook">;
type Clocks = Pick<BookContext, "now" | "realNow" | "hasOwnClock">;

/** When the phase times out next. Each timeout doubles the wait, up to five minutes. */
export function dueAfter(phase: Phase, timeoutCount: number, clocks: Clocks): Due {
  const timeout = phaseTimeouts[phase];
  if (timeout === null) return { dueAt: null, dueAtInBook: null };
  const { waitsFor, afterMs } = timeout;
  const waitMs = Math.min(afterMs * 2 ** Math.min(timeoutCount, 20), maxTimeoutMs);
  return waitsFor === "Rail"
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
