import type { Phase } from "./payment-order.ts";
import type { CommandName } from "./lifecycle.ts";

/** What the chaser does when a phase has lasted too long. */
export type Chase =
  /** The same command id again: harmless if the first arrived. */
  { readonly resend: CommandName } | { readonly run: "TryGate" | "EndReturnWindow" };

export interface Deadline {
  readonly afterMs: number;
  readonly chase: Chase;
}

const ledgerMs = 10_000;
/** A rail that has not answered the hand-off is asked, by our reference; it is never sent a second instruction. */
const handOffMs = 3_000;
const railMs = 30_000;
const gateMs = 30_000;

/** How long each phase may last before somebody is reminded. A phase that waits for a person or is over has none. */
export const deadlines: Readonly<Record<Phase, Deadline | null>> = {
  Draft: null,
  ReservingFunds: { afterMs: ledgerMs, chase: { resend: "PlaceHold" } },
  CancellingBeforeHold: { afterMs: ledgerMs, chase: { resend: "PlaceHold" } },
  AwaitingApproval: { afterMs: gateMs, chase: { run: "TryGate" } },
  AwaitingWindow: { afterMs: gateMs, chase: { run: "TryGate" } },
  HandingOff: { afterMs: handOffMs, chase: { resend: "InquireInstruction" } },
  InFlight: { afterMs: railMs, chase: { resend: "InquireInstruction" } },
  AwaitingReturns: { afterMs: gateMs, chase: { run: "EndReturnWindow" } },
  Settling: { afterMs: ledgerMs, chase: { resend: "SettleHold" } },
  ReleasingAsFailed: { afterMs: ledgerMs, chase: { resend: "ReleaseHold" } },
  ReleasingAsReturned: { afterMs: ledgerMs, chase: { resend: "ReleaseHold" } },
  ReleasingAsCancelled: { afterMs: ledgerMs, chase: { resend: "ReleaseHold" } },
  Completed: null,
  PostingLateReturn: { afterMs: ledgerMs, chase: { resend: "PostLateReturn" } },
  Failed: null,
  Returned: null,
  Cancelled: null,
};

const longestWaitMs = 300_000;

/** When the deadline passes next: each chase doubles the wait, to at most five minutes. */
export function dueAfter(phase: Phase, chases: number, now: Date): Date | null {
  const deadline = deadlines[phase];
  if (deadline === null) return null;
  return new Date(now.getTime() + Math.min(deadline.afterMs * 2 ** Math.min(chases, 20), longestWaitMs));
}
