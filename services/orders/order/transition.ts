import type { LedgerTransactionId } from "../../../contracts/ids/ids.ts";
import type { RailReference } from "../../../contracts/rails/rails.ts";
import type { Counterparty } from "./counterparty.ts";
import { dueAfter } from "./phase-timeouts.ts";
import { usageReleased, type UsageMove } from "./daily-limit.ts";
import { returnWindowIsOver, decideRelease, type BookContext } from "./release-gate.ts";
import { type CommandName, type EventTrigger, isExpectedLater, stepFor, type Trigger } from "./lifecycle.ts";
import type {
  PaymentOrder,
  PaymentReturn,
  Progress,
  StatusChange,
  UnexpectedMovement,
} from "./payment-order.ts";
import { statusOf } from "./payment-order.ts";
import { unexpectedMovementOf } from "./unexpected-movement.ts";

/** What an event says, beside its kind. */
export interface EventDetail {
  readonly ledgerTransactionId?: LedgerTransactionId;
  readonly railReference?: RailReference;
  readonly failure?: { code: string; message: string };
  readonly return?: Omit<PaymentReturn, "late">;
  /** Rails number the events of an instruction. */
  readonly number?: number;
}

export interface IncomingEvent {
  readonly trigger: EventTrigger;
  readonly detail: EventDetail;
}

/** What one order's advance leaves to be written and sent, all in the transaction that read the order. */
export interface Transition {
  order: PaymentOrder;
  readonly history: StatusChange[];
  /** The order as it was when each event happened, with the status before. */
  readonly events: { order: PaymentOrder; previousStatus: PaymentOrder["status"] }[];
  readonly commands: CommandName[];
  /** The counterparty that a Draft names, as this transaction sees it (`namePayee`). */
  payee?: Counterparty;
  /** What it takes from its book's daily limit, and gives back. */
  readonly usage: UsageMove[];
}

/**
 * What becomes of an event. Applied: the table has it. Repeat: said before, or overtaken by a later event of its rail.
 * Early: a later phase has it, so it waits with the order. Stray: the bank moved money of an order that was over, which
 * goes to Suspense. Parked: it fits nothing that can still come, and guessing would move money, so a person decides.
 */
export type Reception = "Applied" | "Duplicate" | "OutOfOrder" | "UnexpectedMovement" | "Parked";

export function start(order: PaymentOrder): Transition {
  return { order, history: [], events: [], commands: [], usage: [] };
}

/** Takes an event of another service. Only `Applied` moves the order along; `Stray` is noted beside its life. */
export function applyEvent(advance: Transition, incoming: IncomingEvent, context: BookContext): Reception {
  const { order } = advance;
  const reception = receptionOf(order, incoming);
  if (reception === "Parked") return receiveStray(advance, incoming, context.now);
  if (reception !== "Applied") return reception;
  advance.order = { ...order, progress: recordProgress(order, incoming, context.now) };
  transition(advance, incoming.trigger, context, { actor: actorOf(incoming.trigger) });
  return "Applied";
}

/** What fits nothing is parked, and what it moved goes to Suspense. */
function receiveStray(
  advance: Transition,
  incoming: IncomingEvent,
  now: Date,
): "UnexpectedMovement" | "Duplicate" | "Parked" {
  const { order } = advance;
  const stray = unexpectedMovementOf(order, incoming, now);
  if (stray === null) return "Parked";
  const known: readonly UnexpectedMovement[] = order.progress.unexpectedMovements ?? [];
  if (known.some(({ commandId }) => commandId === stray.commandId)) return "Duplicate";
  advance.order = {
    ...order,
    updatedAt: now,
    progress: { ...order.progress, unexpectedMovements: [...known, stray] },
  };
  // One sending tells of all strays.
  if (!advance.commands.includes("PostToSuspense")) advance.commands.push("PostToSuspense");
  return "UnexpectedMovement";
}

function receptionOf(
  order: PaymentOrder,
  { trigger, detail }: IncomingEvent,
): Exclude<Reception, "UnexpectedMovement"> {
  const { applied, railEventNumber, return: returned } = order.progress;
  if (trigger === "InstructionReturned" && returned !== null) {
    const same = returned.traceNumber === detail.return?.traceNumber && returned.code === detail.return.code;
    return same ? "Duplicate" : "Parked";
  }
  if (applied.includes(trigger)) return "Duplicate";
  if (trigger === "InstructionReturned" && overtookAnother(order, detail)) return "OutOfOrder";
  if (stepFor(order.phase, trigger) !== undefined) return "Applied";
  if (trigger === "InstructionUnknown") return "Duplicate"; // an answer to a question that has been answered since
  if (isExpectedLater(order.phase, trigger)) return "OutOfOrder";
  if (detail.number !== undefined && detail.number < railEventNumber) return "Duplicate";
  return "Parked";
}

/**
 * A return before a settlement is another thing than one after it, so a return that came before an earlier event of its
 * rail waits for that event: what becomes of the order must not hang on which message was faster.
 */
function overtookAnother({ phase, progress }: PaymentOrder, { number }: EventDetail): boolean {
  return (
    (phase === "HandingOff" || phase === "InFlight") &&
    number !== undefined &&
    number > progress.railEventNumber + 1
  );
}

function recordProgress(order: PaymentOrder, { trigger, detail }: IncomingEvent, now: Date): Progress {
  const { progress } = order;
  return {
    ...progress,
    // An unknown reference may be answered more than once, each time with a submission under the same reference.
    applied: trigger === "InstructionUnknown" ? progress.applied : [...progress.applied, trigger],
    railEventNumber: Math.max(progress.railEventNumber, detail.number ?? 0),
    ledgerTransactionId: detail.ledgerTransactionId ?? progress.ledgerTransactionId,
    railReference: detail.railReference ?? progress.railReference,
    failure: detail.failure ?? progress.failure,
    settledAt: trigger === "InstructionSettled" ? now.toISOString() : progress.settledAt,
    return:
      detail.return === undefined ? progress.return : { ...detail.return, late: order.phase === "Completed" },
  };
}

function actorOf(trigger: EventTrigger): string {
  return trigger.startsWith("Instruction") ? "rail" : "ledger";
}

/** Takes one step of the table and what follows from it at once. Throws when the table has no such pair. */
export function transition(
  advance: Transition,
  trigger: Trigger,
  context: BookContext,
  by: { actor: string; reason?: string | undefined },
): void {
  const { order } = advance;
  const step = stepFor(order.phase, trigger);
  if (step === undefined) throw new Error(`${trigger} has no place in ${order.phase}`);
  const phase = typeof step.to === "string" ? step.to : step.to(order);
  const send = typeof step.send === "function" ? step.send(order) : step.send;
  const status = statusOf(phase, order.status);
  const moved: PaymentOrder = {
    ...order,
    phase,
    status,
    dueAt: dueAfter(phase, 0, context.now),
    updatedAt: context.now,
    progress: {
      ...order.progress,
      timeoutCount: 0,
      sentAt: sentAt(order.progress, send, context.now),
      pendingSince: order.progress.pendingSince ?? (status === "Pending" ? context.now.toISOString() : null),
    },
  };
  advance.order = moved;
  if (send !== undefined) advance.commands.push(send);
  if (status !== order.status) {
    emitStatusChange(advance, order.status);
    advance.history.push({
      position: advance.order.sequence,
      from: order.status,
      to: status,
      at: context.now,
      ...authorOf(moved, by),
    });
    if (status === "Failed" || status === "Returned" || status === "Cancelled")
      releaseDailyLimit(advance, context);
  } else if (trigger === "LateReturnPosted") {
    emitStatusChange(advance, order.status);
  }
  if (step.then === "EvaluateGate") evaluateGate(advance, context);
  if (step.then === "SettleBookTransfer" && moved.terms.rail === "Book") handOffOnLedger(advance, context);
  if (step.then === "CompleteIfReturnWindowOver") completeIfReturnWindowOver(advance, context);
}

function emitStatusChange(advance: Transition, previousStatus: PaymentOrder["status"]): void {
  advance.order = { ...advance.order, sequence: advance.order.sequence + 1 };
  advance.events.push({ order: advance.order, previousStatus });
}

/** An order that ends otherwise than Completed counts against no daily limit, and gives back once. */
function releaseDailyLimit(advance: Transition, context: BookContext): void {
  const { order } = advance;
  if ((order.progress.limitDate ?? null) === null) return;
  advance.usage.push(...usageReleased(order, context));
  advance.order = { ...order, progress: { ...order.progress, limitDate: null } };
}

/**
 * The ledger's word ends a cancelled order, but it is cancelled by whoever asked for it, for their reason. So is an
 * order that operators resolved.
 */
function authorOf(
  { status, progress }: PaymentOrder,
  by: { actor: string; reason?: string | undefined },
): Pick<StatusChange, "actor" | "reason"> {
  const { resolution } = progress;
  if (resolution !== undefined && status === (resolution.as === "settled" ? "Completed" : "Failed")) {
    const { as, by: operators, evidence } = resolution;
    return { actor: "operator", reason: `Resolved as ${as} by ${operators.join(" and ")}: ${evidence}` };
  }
  if (status !== "Cancelled") return { actor: by.actor, reason: by.reason ?? null };
  return { actor: progress.cancelledBy ?? by.actor, reason: by.reason ?? progress.cancelReason };
}

/** A resend carries the time of the first sending. */
function sentAt(progress: Progress, send: CommandName | undefined, now: Date): Progress["sentAt"] {
  if (send === undefined || send === "SubmitInstruction" || send === "InquireInstruction")
    return progress.sentAt;
  return { [send]: now.toISOString(), ...progress.sentAt };
}

/** Asks the gate, and goes where it says. */
export function evaluateGate(advance: Transition, context: BookContext): void {
  const answer = decideRelease(advance.order, context);
  advance.order = { ...advance.order, progress: { ...advance.order.progress, ...answer.progress } };
  if (answer.trigger === null) return;
  if (answer.trigger !== "ApprovalExpired")
    return transition(advance, answer.trigger, context, { actor: "system" });
  abort(advance, "ApprovalExpired", context, { actor: "system", reason: "ApprovalExpired" });
}

/** Ends an order before its rail: cancelled, denied or expired, by somebody and for a reason that it keeps. */
export function abort(
  advance: Transition,
  trigger: "Cancel" | "Deny" | "ApprovalExpired",
  context: BookContext,
  by: { actor: string; reason: string },
): void {
  const { order } = advance;
  advance.order = {
    ...order,
    progress: { ...order.progress, cancelReason: by.reason, cancelledBy: by.actor },
  };
  transition(advance, trigger, context, by);
}

/** A book transfer has no bank network: the instruction is the settlement. */
function handOffOnLedger(advance: Transition, context: BookContext): void {
  advance.commands.splice(advance.commands.indexOf("SubmitInstruction"), 1);
  transition(advance, "BookHandedOff", context, { actor: "ledger" });
}

/** Completes a settled ACH order once its return window is over. */
export function completeIfReturnWindowOver(advance: Transition, context: BookContext): void {
  if (advance.order.phase !== "AwaitingReturns" || !returnWindowIsOver(advance.order, context)) return;
  transition(advance, "ReturnWindowOver", context, { actor: "system" });
}
