import type { Phase } from "./payment-order.ts";

/** The state of an order's hold in the ledger; `None` if the ledger has none. */
export type HoldState = "None" | "Open" | "Settled" | "Released";

/**
 * The states that the hold of an order in this phase may have, in one snapshot of both services. A phase that waits for
 * the ledger's answer allows the states before and after its command.
 */
const holdOfPhase = {
  Draft: ["None"],
  ReservingFunds: ["None", "Open"],
  CancellingBeforeHold: ["None", "Open"],
  AwaitingApproval: ["Open"],
  AwaitingWindow: ["Open"],
  HandingOff: ["Open"],
  InFlight: ["Open"],
  AwaitingReturns: ["Open"],
  Settling: ["Open", "Settled"],
  ReleasingAsFailed: ["Open", "Released"],
  ReleasingAsReturned: ["Open", "Released"],
  ReleasingAsCancelled: ["Open", "Released"],
  Completed: ["Settled"],
  PostingLateReturn: ["Settled"],
  // Also of orders whose hold the ledger refused.
  Failed: ["None", "Released"],
  Cancelled: ["None", "Released"],
  Returned: ["Released"],
} as const satisfies Record<Phase, readonly HoldState[]>;

export function isHoldOfPhase(phase: Phase, hold: HoldState): boolean {
  const allowed: readonly HoldState[] = holdOfPhase[phase];
  return allowed.includes(hold);
}
