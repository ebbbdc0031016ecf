import type { Phase, PaymentOrder } from "./payment-order.ts";
import { hasReturnWindow } from "./payment-order.ts";

/** What other services tell of an order (their contracts' types), in the table's words. */
export const eventTriggers = [
  "HoldPlaced",
  "HoldRefused",
  "HoldSettled",
  "HoldReleased",
  "LateReturnPosted",
  "InstructionAccepted",
  "InstructionSettled",
  "InstructionFailed",
  "InstructionReturned",
  "InstructionUnknown",
] as const;
export type EventTrigger = (typeof eventTriggers)[number];

/** What people and clocks do, and what the gate answers. */
export const ownTriggers = [
  "Submit",
  "Cancel",
  "Deny",
  "ApprovalExpired",
  "GateOpened",
  "GateNeedsApproval",
  "GateNeedsWindow",
  "BookHandedOff",
  "ReturnWindowOver",
] as const;
export type OwnTrigger = (typeof ownTriggers)[number];
export type Trigger = EventTrigger | OwnTrigger;

export type CommandName =
  | "PlaceHold"
  | "SettleHold"
  | "ReleaseHold"
  | "PostLateReturn"
  | "PostToSuspense"
  | "SubmitInstruction"
  | "InquireInstruction";

export interface Step {
  readonly to: Phase | ((order: PaymentOrder) => Phase);
  readonly send?: CommandName | ((order: PaymentOrder) => CommandName | undefined);
  /** What follows at once, in the same commit. */
  readonly then?: "EvaluateGate" | "SettleBookTransfer" | "CompleteIfReturnWindowOver";
}

const hold = { to: "AwaitingApproval", then: "EvaluateGate" } as const;
const handOff = { to: "HandingOff", send: "SubmitInstruction", then: "SettleBookTransfer" } as const;
const cancel = { to: "ReleasingAsCancelled", send: "ReleaseHold" } as const;
const fail = { to: "ReleasingAsFailed", send: "ReleaseHold" } as const;
const giveBack = { to: "ReleasingAsReturned", send: "ReleaseHold" } as const;
const settle = { to: "Settling", send: "SettleHold" } as const;
/** An ACH settlement waits for its return window; every other rail's is final. */
const settled = {
  to: (order: PaymentOrder) => (hasReturnWindow(order.terms.rail) ? "AwaitingReturns" : "Settling"),
  send: (order: PaymentOrder) => (hasReturnWindow(order.terms.rail) ? undefined : "SettleHold"),
  then: "CompleteIfReturnWindowOver",
} as const;

/**
 * The whole life of a payment order: phase × trigger → next phase and the command that goes with it. A pair that is
 * not in this table cannot happen. The approval gate stands on the way into HandingOff and nowhere else.
 */
export const lifecycle = {
  Draft: { Submit: { to: "ReservingFunds", send: "PlaceHold" }, Cancel: { to: "Cancelled" } },
  ReservingFunds: { HoldPlaced: hold, HoldRefused: { to: "Failed" }, Cancel: { to: "CancellingBeforeHold" } },
  CancellingBeforeHold: { HoldPlaced: cancel, HoldRefused: { to: "Cancelled" } },
  AwaitingApproval: {
    GateOpened: handOff,
    GateNeedsWindow: { to: "AwaitingWindow" },
    Cancel: cancel,
    Deny: cancel,
    ApprovalExpired: cancel,
  },
  AwaitingWindow: { GateOpened: handOff, GateNeedsApproval: { to: "AwaitingApproval" }, Cancel: cancel },
  HandingOff: {
    BookHandedOff: settle,
    InstructionAccepted: { to: "InFlight" },
    InstructionSettled: settled,
    InstructionFailed: fail,
    InstructionReturned: giveBack,
    InstructionUnknown: { to: "HandingOff", send: "SubmitInstruction" },
  },
  InFlight: { InstructionSettled: settled, InstructionFailed: fail, InstructionReturned: giveBack },
  AwaitingReturns: { ReturnWindowOver: settle, InstructionReturned: giveBack },
  Settling: { HoldSettled: { to: "Completed" } },
  ReleasingAsFailed: { HoldReleased: { to: "Failed" } },
  ReleasingAsReturned: { HoldReleased: { to: "Returned" } },
  ReleasingAsCancelled: { HoldReleased: { to: "Cancelled" } },
  Completed: { InstructionReturned: { to: "PostingLateReturn", send: "PostLateReturn" } },
  PostingLateReturn: { LateReturnPosted: { to: "Completed" } },
  Failed: {},
  Returned: {},
  Cancelled: {},
} as const satisfies Record<Phase, Partial<Record<Trigger, Step>>>;

export function stepFor(phase: Phase, trigger: Trigger): Step | undefined {
  const row: Partial<Record<Trigger, Step>> = lifecycle[phase];
  return row[trigger];
}

/** The phases that a step can lead to, whatever the order. */
function targetsOf(step: Step): Phase[] {
  return typeof step.to === "string" ? [step.to] : ["AwaitingReturns", "Settling"];
}

const reachable = new Map<Phase, ReadonlySet<Phase>>();

function reachableFrom(phase: Phase): ReadonlySet<Phase> {
  const known = reachable.get(phase);
  if (known !== undefined) return known;
  const found = new Set<Phase>();
  const open: Phase[] = [phase];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const step of Object.values(lifecycle[next]) as Step[]) {
      for (const target of targetsOf(step)) {
        if (found.has(target)) continue;
        found.add(target);
        open.push(target);
      }
    }
  }
  reachable.set(phase, found);
  return found;
}

/** True when the event has no place in this phase but has one in a phase that can still come: it waits for it. */
export function isExpectedLater(phase: Phase, trigger: EventTrigger): boolean {
  return [...reachableFrom(phase)].some((later) => stepFor(later, trigger) !== undefined);
}
