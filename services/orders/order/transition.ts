import { approvalsAfter } from "./approval-decision.ts";
import { type UsageMove, usageReleased } from "./daily-limit.ts";
import { type CommandName, type FollowUp, type OwnTrigger, stepFor, type Trigger } from "./lifecycle.ts";
import type { LedgerProgress, PaymentOrder, StatusChange } from "./payment-order.ts";
import { statusOf } from "./payment-order.ts";
import { dueAfter, dueInBook } from "./phase-timeouts.ts";
import type { BookContext } from "./book-context.ts";
import { completionDelayEndsAt, decideHandOff, OrderTampered } from "./hand-off-gate.ts";

/** A published status change: the order as it left it, the status before, and the time in the book. */
export interface PublishedChange {
  readonly order: PaymentOrder;
  readonly previousStatus: PaymentOrder["status"];
  readonly at: Date;
}

/** The results of an order's steps. The caller saves and sends all of them in the transaction that locked the order. */
export interface Transition {
  readonly order: PaymentOrder;
  readonly history: readonly StatusChange[];
  readonly events: readonly PublishedChange[];
  readonly commands: readonly CommandName[];
  /** What the order takes from its book's daily limit, and gives back. */
  readonly usage: readonly UsageMove[];
}

/** Who caused a step, and why; both appear in the order's history. */
export interface Author {
  readonly actor: string;
  readonly reason?: string | undefined;
}

/** No step taken: the order as it is, with nothing to record, publish or send. */
export function unchanged(order: PaymentOrder): Transition {
  return { order, history: [], events: [], commands: [], usage: [] };
}

/** Runs `next` on the order as `done` left it, and returns what both produced. */
export function andThen(done: Transition, next: (order: PaymentOrder) => Transition): Transition {
  const { order, history, events, commands, usage } = next(done.order);
  return {
    order,
    history: [...done.history, ...history],
    events: [...done.events, ...events],
    commands: [...done.commands, ...commands],
    usage: [...done.usage, ...usage],
  };
}

/** Runs steps one after the other, each on the order as the previous one left it. */
export function applyAll(
  order: PaymentOrder,
  steps: readonly ((order: PaymentOrder) => Transition)[],
): Transition {
  return steps.reduce(andThen, unchanged(order));
}

/** A new order. Its history begins at Draft, even if it is submitted in the same transaction. */
export function draftCreated(order: PaymentOrder, { now, hasOwnClock }: BookContext): Transition {
  const { createdAt, createdBy: actor } = order;
  const at = hasOwnClock ? now : createdAt;
  return {
    ...unchanged(order),
    history: [{ position: 0, from: null, to: "Draft", at, actor, reason: null }],
  };
}

/**
 * Takes one step of the lifecycle table and those that follow from it at once. Throws if the table has no such pair.
 */
export function transition(
  order: PaymentOrder,
  trigger: Trigger,
  context: BookContext,
  by: Author,
): Transition {
  const { done, followUp } = takeStep(order, trigger, context, by);
  return runFollowUps(done, followUp, context);
}

/**
 * The same for an event. It reports what has happened, so it is applied to an order that was tampered with too: the
 * order comes to the gate and waits there. The gate throws each time the phase times out, and the order can be
 * cancelled.
 */
export function transitionByEvent(
  order: PaymentOrder,
  trigger: Trigger,
  context: BookContext,
  by: Author,
): Transition {
  const { done, followUp } = takeStep(order, trigger, context, by);
  try {
    return runFollowUps(done, followUp, context);
  } catch (error) {
    if (error instanceof OrderTampered) return done;
    throw error;
  }
}

/** Asks the hand-off gate whether a waiting order may go to its rail, and takes the steps that it decides. */
export function evaluateGate(order: PaymentOrder, context: BookContext): Transition {
  return runFollowUps(unchanged(order), "EvaluateGate", context);
}

/** Settles the hold of an ACH order whose completion delay is over. */
export function completeIfDelayOver(order: PaymentOrder, context: BookContext): Transition {
  return runFollowUps(unchanged(order), "CompleteIfDelayOver", context);
}

/** Ends an order before it reaches its rail. It records who and why, for the history once its hold is released. */
export function cancelOrDeny(
  order: PaymentOrder,
  trigger: "Cancel" | "Deny",
  context: BookContext,
  by: { readonly actor: string; readonly reason: string },
): Transition {
  return transition(withCancellation(order, by), trigger, context, by);
}

function withCancellation(
  order: PaymentOrder,
  { actor, reason }: { readonly actor: string; readonly reason: string },
): PaymentOrder {
  const { progress } = order;
  const ending = { ...progress.ending, cancelReason: reason, cancelledBy: actor };
  return { ...order, progress: { ...progress, ending } };
}

interface TakenStep {
  readonly done: Transition;
  readonly followUp: FollowUp | undefined;
}

function takeStep(order: PaymentOrder, trigger: Trigger, context: BookContext, by: Author): TakenStep {
  const step = stepFor(order.phase, trigger);
  if (step === undefined) throw new Error(`${trigger} is not possible in ${order.phase}`);
  const phase = typeof step.to === "string" ? step.to : step.to.choose(order);
  const send = typeof step.send === "function" ? step.send(order) : step.send;
  const status = statusOf(phase, order.status);
  const moved: PaymentOrder = {
    ...order,
    phase,
    status,
    ...dueAfter({ ...order, phase }, 0, context),
    updatedAt: context.realNow,
    progress: {
      ...order.progress,
      approvals: approvalsAfter(order, trigger, by.actor, context.now),
      ledger: withSentAt(order.progress.ledger, send, context.now),
      timers: {
        pendingSince:
          order.progress.timers.pendingSince ?? (status === "Pending" ? context.now.toISOString() : null),
        timeoutCount: 0,
      },
    },
  };
  const changed = recordStatusChange(moved, order.status, trigger, context, by);
  return {
    done: { ...changed, commands: send === undefined ? [] : [send] },
    followUp: step.then,
  };
}

/** A resent command carries the time at which it was first sent, so that it is exactly the same command. */
function withSentAt(ledger: LedgerProgress, send: CommandName | undefined, now: Date): LedgerProgress {
  if (send === undefined || send === "SubmitInstruction" || send === "InquireInstruction") return ledger;
  return { ...ledger, sentAt: { [send]: now.toISOString(), ...ledger.sentAt } };
}

/**
 * Adds the history row and the event of a new status. An order that ends without completing also gives its amount back
 * to the daily limit. A late return leaves the order Completed, but it is published too.
 */
function recordStatusChange(
  moved: PaymentOrder,
  previousStatus: PaymentOrder["status"],
  trigger: Trigger,
  context: BookContext,
  by: Author,
): Transition {
  const { status } = moved;
  if (status === previousStatus && trigger !== "LateReturnPosted") return unchanged(moved);
  const order = { ...moved, sequence: moved.sequence + 1 };
  const emitted = { ...unchanged(order), events: [{ order, previousStatus, at: context.now }] };
  if (status === previousStatus) return emitted;
  const change = {
    position: order.sequence,
    from: previousStatus,
    to: status,
    at: context.now,
    ...authorOf(order, by),
  };
  const recorded = { ...emitted, history: [change] };
  if (status !== "Failed" && status !== "Returned" && status !== "Cancelled") return recorded;
  return {
    ...recorded,
    order: { ...order, progress: { ...order.progress, limitDate: null } },
    usage: usageReleased(order, context),
  };
}

/**
 * The ledger's event ends a cancelled order, but the history names whoever cancelled it and why. The same holds for an
 * order that operators resolved.
 */
function authorOf(
  { status, progress: { ending } }: PaymentOrder,
  by: Author,
): Pick<StatusChange, "actor" | "reason"> {
  const { resolution } = ending;
  if (resolution !== null && status === (resolution.as === "settled" ? "Completed" : "Failed")) {
    const { as, by: operators, evidence } = resolution;
    return { actor: "operator", reason: `Resolved as ${as} by ${operators.join(" and ")}: ${evidence}` };
  }
  if (status !== "Cancelled") return { actor: by.actor, reason: by.reason ?? null };
  return { actor: ending.cancelledBy ?? by.actor, reason: by.reason ?? ending.cancelReason };
}

/** What a follow-up decides: the order with what it recorded, and the next trigger or null if the order waits. */
interface Decision {
  readonly order: PaymentOrder;
  readonly trigger: OwnTrigger | null;
  readonly by: Author;
  /** When an order that waits is due; without it, when its phase times out. */
  readonly dueAt?: Date | undefined;
}

const followUps: Readonly<Record<FollowUp, (order: PaymentOrder, context: BookContext) => Decision>> = {
  EvaluateGate: decideAtGate,
  SettleBookTransfer: (order) => ({
    order,
    trigger: order.terms.rail === "Book" ? "BookTransferHandedOff" : null,
    by: { actor: "ledger" },
  }),
  CompleteIfDelayOver: decideCompletion,
};

function decideCompletion(order: PaymentOrder, context: BookContext): Decision {
  const endsAt = order.phase === "AwaitingReturns" ? completionDelayEndsAt(order, context) : null;
  const by = { actor: "system" };
  if (endsAt === null) return { order, trigger: null, by };
  if (endsAt > context.now) return { order, trigger: null, by, dueAt: endsAt };
  return { order, trigger: "CompletionDelayOver", by };
}

function decideAtGate(order: PaymentOrder, context: BookContext): Decision {
  const { trigger, changed, estimate, decidesAgainAt: dueAt } = decideHandOff(order, context);
  const { progress } = order;
  const recorded = {
    ...order,
    // A caller who follows changes by `updatedAt` sees what a stricter policy or a lost right has changed.
    updatedAt: Object.keys(changed).length > 0 ? context.realNow : order.updatedAt,
    progress: {
      ...progress,
      approvals: { ...progress.approvals, ...changed },
      estimate: { ...progress.estimate, ...estimate },
    },
  };
  if (trigger !== "ApprovalExpired") return { order: recorded, trigger, by: { actor: "system" }, dueAt };
  const by = { actor: "system", reason: "ApprovalExpired" };
  return { order: withCancellation(recorded, by), trigger, by };
}

/** Follows each step with the one that it leads to at once, until the order has to wait. */
function runFollowUps(begun: Transition, first: FollowUp | undefined, context: BookContext): Transition {
  let done = begun;
  let followUp = first;
  while (followUp !== undefined) {
    const { order, trigger, by, dueAt } = followUps[followUp](done.order, context);
    if (trigger === null) return { ...done, order: dueAgainAt(order, dueAt, context) };
    const step = takeStep(order, trigger, context, by);
    done = andThen(done, () => ({ ...step.done, order: dueAgainAt(step.done.order, dueAt, context) }));
    followUp = step.followUp;
  }
  return done;
}

/** The date of an order that knows when it can go on; others keep the time-out of their phase. */
function dueAgainAt(order: PaymentOrder, dueAt: Date | undefined, context: BookContext): PaymentOrder {
  return dueAt === undefined ? order : { ...order, ...dueInBook(dueAt, context) };
}
