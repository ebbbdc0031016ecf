import type { Rail } from "../../../contracts/rails/rails.ts";
import type { Phase, PaymentOrder } from "./payment-order.ts";

/** Events from the ledger and the rails, named after their messages. */
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

/** Triggers from people, from timeouts and from the hand-off gate. */
export const ownTriggers = [
  "Submit",
  "Cancel",
  "Deny",
  "ApprovalExpired",
  "GateOpened",
  "GateNeedsApproval",
  "GateNeedsWindow",
  "BookTransferHandedOff",
  "CompletionDelayOver",
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

/** A decision that follows a step at once, in the same transaction (`transition.ts`). */
export type FollowUp = "EvaluateGate" | "SettleBookTransfer" | "CompleteIfDelayOver";

/** A target that depends on the order. Every phase it can choose is listed, so that reachability reads the table. */
interface Choice<P extends Phase = Phase> {
  readonly oneOf: readonly P[];
  readonly choose: (order: PaymentOrder) => P;
}

export interface Step {
  readonly to: Phase | Choice;
  readonly send?: CommandName | ((order: PaymentOrder) => CommandName | undefined);
  readonly then?: FollowUp;
}

/** Makes a `Choice` that does not compile if `choose` can return a phase that is not listed. */
function oneOf<P extends Phase>(phases: readonly P[], choose: (order: PaymentOrder) => P): Choice<P> {
  return { oneOf: phases, choose };
}

const awaitApproval = { to: "AwaitingApproval", then: "EvaluateGate" } as const;
/** A book transfer has no rail to instruct: the ledger settles it at once. */
const handOff = {
  to: "HandingOff",
  send: (order: PaymentOrder) => (order.terms.rail === "Book" ? undefined : "SubmitInstruction"),
  then: "SettleBookTransfer",
} as const;
const cancel = { to: "ReleasingAsCancelled", send: "ReleaseHold" } as const;
const fail = { to: "ReleasingAsFailed", send: "ReleaseHold" } as const;
const returned = { to: "ReleasingAsReturned", send: "ReleaseHold" } as const;
const settle = { to: "Settling", send: "SettleHold" } as const;
/**
 * An ACH order completes only after the completion delay of its book. A later return is a late return. On every other
 * rail a settlement is final.
 */
const hasCompletionDelay = {
  Ach: true,
  SameDayAch: true,
  Rtp: false,
  Wire: false,
  Book: false,
  Usdc: false,
} as const satisfies Record<Rail, boolean>;
const settled = {
  to: oneOf(["AwaitingReturns", "Settling"], ({ terms }) =>
    hasCompletionDelay[terms.rail] ? "AwaitingReturns" : "Settling",
  ),
  send: ({ terms }: PaymentOrder) => (hasCompletionDelay[terms.rail] ? undefined : "SettleHold"),
  then: "CompleteIfDelayOver",
} as const;

/**
 * The whole life of a payment order: phase × trigger → next phase and the command that goes with it. A pair that is
 * not in this table cannot happen. The hand-off gate guards the way into HandingOff, and there is no other way in.
 */
export const lifecycle = {
  Draft: { Submit: { to: "ReservingFunds", send: "PlaceHold" }, Cancel: { to: "Cancelled" } },
  ReservingFunds: {
    HoldPlaced: awaitApproval,
    HoldRefused: { to: "Failed" },
    Cancel: { to: "CancellingBeforeHold" },
  },
  CancellingBeforeHold: { HoldPlaced: cancel, HoldRefused: { to: "Cancelled" } },
  AwaitingApproval: {
    GateOpened: handOff,
    GateNeedsWindow: { to: "AwaitingWindow" },
    Cancel: cancel,
    Deny: cancel,
    ApprovalExpired: cancel,
  },
  AwaitingWindow: { GateOpened: handOff, GateNeedsApproval: awaitApproval, Cancel: cancel },
  HandingOff: {
    BookTransferHandedOff: settle,
    InstructionAccepted: { to: "InFlight" },
    InstructionSettled: settled,
    InstructionFailed: fail,
    InstructionReturned: returned,
    InstructionUnknown: { to: "HandingOff", send: "SubmitInstruction" },
  },
  InFlight: { InstructionSettled: settled, InstructionFailed: fail, InstructionReturned: returned },
  AwaitingReturns: { CompletionDelayOver: settle, InstructionReturned: returned },
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

/** Every phase that a step can lead to. */
export function targetsOf({ to }: Step): readonly Phase[] {
  return typeof to === "string" ? [to] : to.oneOf;
}

const reachable = new Map<Phase, ReadonlySet<Phase>>();

function reachableFrom(phase: Phase): ReadonlySet<Phase> {
  const known = reachable.get(phase);
  if (known !== undefined) return known;
  const found = new Set<Phase>();
  const open: Phase[] = [phase];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const target of (Object.values(lifecycle[next]) as Step[]).flatMap(targetsOf)) {
      if (found.has(target)) continue;
      found.add(target);
      open.push(target);
    }
  }
  reachable.set(phase, found);
  return found;
}

/** True if a phase that the order can still reach accepts the event: the event is deferred until then. */
export function isExpectedLater(phase: Phase, trigger: EventTrigger): boolean {
  return [...reachableFrom(phase)].some((later) => stepFor(later, trigger) !== undefined);
}
