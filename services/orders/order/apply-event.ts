import type { LedgerTransactionId } from "../../../contracts/ids/ids.ts";
import type { RailReference } from "../../../contracts/rails/rails.ts";
import { type EventTrigger, isExpectedLater, stepFor } from "./lifecycle.ts";
import type { LedgerProgress, PaymentOrder, PaymentReturn, Progress, RailProgress } from "./payment-order.ts";
import type { BookContext } from "./book-context.ts";
import { mayBeHandedOffAgain, nextOpeningFor } from "./hand-off-gate.ts";
import { nextEventNumber } from "./notice-of-change.ts";
import { dueInBook } from "./phase-timeouts.ts";
import { releasesAsUnpaid } from "./sent-back.ts";
import { estimateSettlement } from "./settlement-estimate.ts";
import { unchanged, type Transition, transitionByEvent } from "./transition.ts";
import { unexpectedMovementOf } from "./unexpected-movement.ts";

/** The parts of an event's data that an order records. */
export interface EventDetail {
  readonly ledgerTransactionId?: LedgerTransactionId;
  readonly railReference?: RailReference;
  readonly failure?: { code: string; message: string };
  readonly return?: Omit<PaymentReturn, "late">;
  /** The banking day of a settlement, if the rail names it. */
  readonly settlementDate?: string;
  /** Rails number the events of an instruction, from 1. */
  readonly number?: number;
}

export interface IncomingEvent {
  readonly trigger: EventTrigger;
  readonly detail: EventDetail;
}

/**
 * - Applied: the lifecycle table has it.
 * - Ignored: it changes nothing. It was applied before, a later event of its rail has overtaken it, or nothing may be
 *   handed off now and the next inquiry brings it again.
 * - OutOfOrder: a phase that can still come expects it, or the ledger has not answered yet whether it keeps the hold.
 *   It is deferred until then.
 * - UnexpectedMovement: the bank moved money of an order that was already final. The money goes to Suspense.
 * - PaidAfterAll: the bank says that it did not pay, but the receiver has sent the money back. The order stays at its
 *   rail with its hold, because the payer has that money already. A person decides.
 * - Parked: it fits nothing that can still come. Guessing would move money, so a person decides.
 */
export type Reception =
  | "Applied"
  | "Ignored"
  | "OutOfOrder"
  | "UnexpectedMovement"
  | "PaidAfterAll"
  | "Parked";

export interface AppliedEvent {
  readonly reception: Reception;
  /**
   * Changes nothing unless the event was Applied, is an UnexpectedMovement or is PaidAfterAll. An ignored
   * InstructionUnknown may only change when the order is due.
   */
  readonly transition: Transition;
}

/** Applies an event of the ledger or a rail to an order. */
export function applyEvent(order: PaymentOrder, incoming: IncomingEvent, context: BookContext): AppliedEvent {
  const reception = receptionOf(order, incoming, context);
  if (reception === "Parked") return recordUnexpectedMovement(order, incoming, context);
  if (reception === "PaidAfterAll")
    return { reception, transition: unchanged(withEventNumber(order, incoming)) };
  if (reception === "Ignored" && incoming.trigger === "InstructionUnknown")
    return { reception, transition: unchanged(dueAtOpening(order, context)) };
  if (reception !== "Applied") return { reception, transition: unchanged(order) };
  const recorded = { ...order, progress: recordProgress(order, incoming, context) };
  const actor = isOfRail(incoming.trigger) ? "rail" : "ledger";
  return { reception, transition: transitionByEvent(recorded, incoming.trigger, context, { actor }) };
}

/** Makes the order due when its rail opens, if that is closed: until then, each inquiry would change nothing. */
function dueAtOpening(order: PaymentOrder, context: BookContext): PaymentOrder {
  const opensAt = order.phase === "HandingOff" ? nextOpeningFor(order, context) : null;
  return opensAt === null ? order : { ...order, ...dueInBook(opensAt, context) };
}

function recordUnexpectedMovement(
  order: PaymentOrder,
  incoming: IncomingEvent,
  { now, realNow }: BookContext,
): AppliedEvent {
  const movement = unexpectedMovementOf(order, incoming, now);
  if (movement === null) return { reception: "Parked", transition: unchanged(order) };
  const { rail } = order.progress;
  const known = rail.unexpectedMovements;
  if (known.some(({ commandId }) => commandId === movement.commandId)) {
    return { reception: "Ignored", transition: unchanged(order) };
  }
  const recorded = {
    ...order,
    updatedAt: realNow,
    progress: { ...order.progress, rail: { ...rail, unexpectedMovements: [...known, movement] } },
  };
  return {
    reception: "UnexpectedMovement",
    transition: { ...unchanged(recorded), commands: ["PostToSuspense"] },
  };
}

function receptionOf(
  order: PaymentOrder,
  { trigger, detail }: IncomingEvent,
  context: BookContext,
): Exclude<Reception, "UnexpectedMovement"> {
  const { applied, rail } = order.progress;
  const { return: returned } = rail;
  if (trigger === "InstructionReturned" && returned !== null) {
    const same = returned.traceNumber === detail.return?.traceNumber && returned.code === detail.return.code;
    if (same) return "Ignored";
    return releasesAsUnpaid(order) ? "OutOfOrder" : "Parked";
  }
  if (applied.includes(trigger) || isKnownContradiction(order, trigger, detail)) return "Ignored";
  // The ledger may keep the hold, and then a settlement settles it. Otherwise the money goes to Suspense.
  if (releasesAsUnpaid(order) && (trigger === "InstructionSettled" || trigger === "InstructionReturned"))
    return "OutOfOrder";
  if (trigger === "InstructionReturned" && hasOvertaken(order, detail)) return "OutOfOrder";
  // It has the order submitted again. If the receiver has sent the money back, the rail has paid, and would pay twice.
  const mayBeSubmitted = mayBeHandedOffAgain(order, context) && rail.sentBackBy === undefined;
  if (trigger === "InstructionUnknown" && !mayBeSubmitted) return "Ignored";
  if (rail.sentBackBy !== undefined && saysUnpaid(order, trigger)) return "PaidAfterAll";
  // The payer has the money already: what comes back besides goes to Suspense.
  if (rail.sentBackBy !== undefined && order.phase === "Completed" && trigger === "InstructionReturned")
    return "Parked";
  if (stepFor(order.phase, trigger) !== undefined) return "Applied";
  if (trigger === "InstructionUnknown") return "Ignored"; // the rail has reported on the instruction since
  if (isExpectedLater(order.phase, trigger)) return "OutOfOrder";
  if (detail.number !== undefined && detail.number < rail.eventNumber) return "Ignored";
  return "Parked";
}

/**
 * A return before settlement ends the order otherwise than one after it. So a return that overtook an earlier event of
 * its rail is deferred: the outcome must not depend on which message was faster.
 */
function hasOvertaken({ phase, progress }: PaymentOrder, { number }: EventDetail): boolean {
  return (
    (phase === "HandingOff" || phase === "InFlight") &&
    number !== undefined &&
    number > nextEventNumber(progress.rail)
  );
}

/**
 * True if the rail repeats a failure or return that the order has set aside, because its receiver had sent the money
 * back. The order stores no such return, so it is recognised by its number.
 */
function isKnownContradiction(
  { progress: { rail } }: PaymentOrder,
  trigger: EventTrigger,
  { number }: EventDetail,
): boolean {
  const isUnpaid = trigger === "InstructionFailed" || trigger === "InstructionReturned";
  return rail.sentBackBy !== undefined && isUnpaid && number !== undefined && number <= rail.eventNumber;
}

/** A failure, or a return before settlement: it would release the hold. */
function saysUnpaid({ phase }: PaymentOrder, trigger: EventTrigger): boolean {
  return (
    (phase === "HandingOff" || phase === "InFlight") &&
    (trigger === "InstructionFailed" || trigger === "InstructionReturned")
  );
}

/** Remembers the number, so that a repeat of the event is Ignored and the event parked only once. */
function withEventNumber(order: PaymentOrder, { detail: { number = 0 } }: IncomingEvent): PaymentOrder {
  const { progress } = order;
  const eventNumber = Math.max(progress.rail.eventNumber, number);
  return { ...order, progress: { ...progress, rail: { ...progress.rail, eventNumber } } };
}

function recordProgress(
  order: PaymentOrder,
  { trigger, detail }: IncomingEvent,
  context: BookContext,
): Progress {
  const { progress } = order;
  return {
    ...progress,
    // InstructionUnknown can come several times; each time the instruction is submitted again under its order id.
    applied: trigger === "InstructionUnknown" ? progress.applied : [...progress.applied, trigger],
    ledger: withTransaction(progress.ledger, detail),
    rail: withReport(order, trigger, detail, context.now),
    // The order is handed off again, perhaps on another day.
    estimate: trigger === "InstructionUnknown" ? estimateSettlement(order, context) : progress.estimate,
    ending: detail.failure === undefined ? progress.ending : { ...progress.ending, failure: detail.failure },
  };
}

function withTransaction(
  ledger: LedgerProgress,
  { ledgerTransactionId: transactionId }: EventDetail,
): LedgerProgress {
  return transactionId === undefined ? ledger : { ...ledger, transactionId };
}

function withReport(
  { phase, progress: { rail } }: PaymentOrder,
  trigger: EventTrigger,
  detail: EventDetail,
  now: Date,
): RailProgress {
  if (!isOfRail(trigger)) return rail;
  return {
    ...rail,
    reference: detail.railReference ?? rail.reference,
    eventNumber: Math.max(rail.eventNumber, detail.number ?? 0),
    settledAt: trigger === "InstructionSettled" ? now.toISOString() : rail.settledAt,
    settlementDate: detail.settlementDate ?? rail.settlementDate ?? null,
    return: detail.return === undefined ? rail.return : { ...detail.return, late: phase === "Completed" },
  };
}

function isOfRail(trigger: EventTrigger): boolean {
  return trigger.startsWith("Instruction");
}
