import { expect, it } from "vitest";
import { type HoldState, isHoldOfPhase } from "./hold-of-phase.ts";
import type { Phase } from "./payment-order.ts";

const states: readonly HoldState[] = ["None", "Open", "Settled", "Released"];
const allowed: Record<Phase, readonly HoldState[]> = {
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
  Failed: ["None", "Released"],
  Cancelled: ["None", "Released"],
  Returned: ["Released"],
};

it.each(Object.entries(allowed) as [Phase, readonly HoldState[]][])(
  "the hold of an order in %s is one of %j",
  (phase, holds) => {
    expect(states.filter((state) => isHoldOfPhase(phase, state))).toEqual(holds);
  },
);
