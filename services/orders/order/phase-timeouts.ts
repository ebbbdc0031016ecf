import type { Phase } from "./payment-order.ts";
import type { CommandName } from "./lifecycle.ts";

/** What happens when a phase has lasted too long. */
export type TimeoutAction =
  /** Sends the same command with the same id, which changes nothing if the first one arrived. */
  { readonly resend: CommandName } | { readonly run: "EvaluateGate" | "CompleteIfDelayOver" };

export interface PhaseTimeout {
  readonly afterMs: number;
  readonly action: TimeoutAction;
}

const ledgerMs = 10_000;
/**
 * A rail that has not answered is asked by the order's id. No timeout sends the instruction again; only
 * InstructionUnknown does.
 */
const handOffMs = 3_000;
const railMs = 30_000;
const gateMs = 30_000;

/**
 * How long each phase may last. A Draft and a final phase have no timeout. An order that waits until a known time, such
 * as the opening of its rail, is due then instead (`decidesAgainAt` in hand-off-gate.ts).
 */
export const phaseTimeouts: Readonly<Record<Phase, PhaseTimeout | null>> = {
  Draft: null,
  ReservingFunds: { afterMs: ledgerMs, action: { resend: "PlaceHold" } },
  CancellingBeforeHold: { afterMs: ledgerMs, action: { resend: "PlaceHold" } },
  AwaitingApproval: { afterMs: gateMs, action: { run: "EvaluateGate" } },
  AwaitingWindow: { afterMs: gateMs, action: { run: "EvaluateGate" } },
  HandingOff: { afterMs: handOffMs, action: { resend: "InquireInstruction" } },
  InFlight: { afterMs: railMs, action: { resend: "InquireInstruction" } },
  AwaitingReturns: { afterMs: gateMs, action: { run: "CompleteIfDelayOver" } },
  Settling: { afterMs: ledgerMs, action: { resend: "SettleHold" } },
  ReleasingAsFailed: { afterMs: ledgerMs, action: { resend: "ReleaseHold" } },
  ReleasingAsReturned: { afterMs: ledgerMs, action: { resend: "ReleaseHold" } },
  ReleasingAsCancelled: { afterMs: ledgerMs, action: { resend: "ReleaseHold" } },
  Completed: null,
  PostingLateReturn: { afterMs: ledgerMs, action: { resend: "PostLateReturn" } },
  Failed: null,
  Returned: null,
  Cancelled: null,
};

const maxTimeoutMs = 300_000;

/** When the phase times out next. Each timeout doubles the wait, up to five minutes. */
export function dueAfter(phase: Phase, timeoutCount: number, now: Date): Date | null {
  const timeout = phaseTimeouts[phase];
  if (timeout === null) return null;
  return new Date(now.getTime() + Math.min(timeout.afterMs * 2 ** Math.min(timeoutCount, 20), maxTimeoutMs));
}
