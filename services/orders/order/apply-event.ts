import type { LedgerTransactionId } from "../../../contracts/ids/ids.ts";
import type { RailReference } from "../../../contracts/rails/rails.ts";
import { type EventTrigger, isExpectedLater, stepFor } from "./lifecycle.ts";
import type { LedgerProgress, PaymentOrder, PaymentReturn, Progress, RailProgress } from "./payment-order.ts";
import type { BookContext } from "./hand-off-gate.ts";
import { nextEventNumber } from "./notice-of-change.ts";
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
 * - OutOfOrder: a phase that can still come expects it. It is deferred until then.
 * - UnexpectedMovement: the bank moved money of an order that was already final. The money goes to Suspense.
 * - Parked: it fits nothing that can still come. Guessing would move money, so a person decides.
 */
export type Reception = "Applied" | "Ignored" | "OutOfOrder" | "UnexpectedMovement" | "Parked";

export interface AppliedEvent {
  readonly reception: Reception;
  /** Changes nothing unless the event was Applied or is an UnexpectedMovement. */
  readonly transition: Transition;
}

/** Applies an event of the ledger or a rail to an order. */
export function applyEvent(order: PaymentOrder, incoming: IncomingEvent, context: BookContext): AppliedEvent {
  const reception = receptionOf(order, incoming, context);
  if (reception === "Parked") return recordUnexpectedMovement(order, incoming, context);
  if (reception !== "Applied") return { reception, transition: unchanged(order) };
  const recorded = { ...order, progress: recordProgress(order, incoming, context.now) };
  const actor = isOfRail(incoming.trigger) ? "rail" : "ledger";
  return { reception, transition: transitionByEvent(recorded, incoming.trigger, context, { actor }) };
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
  { tenantActive, bookFrozen }: BookContext,
): Exclude<Reception, "UnexpectedMovement"> {
  const { applied, rail } = order.progress;
  const { return: returned } = rail;
  if (trigger === "InstructionReturned" && returned !== null) {
    const same = returned.traceNumber === detail.return?.traceNumber && returned.code === detail.return.code;
    return same ? "Ignored" : "Parked";
  }
  if (applied.includes(trigger)) return "Ignored";
  if (trigger === "InstructionReturned" && hasOvertaken(order, detail)) return "OutOfOrder";
  // It would submit the order again, past the gate.
  if (trigger === "InstructionUnknown" && (!tenantActive || bookFrozen)) return "Ignored";
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

function recordProgress(order: PaymentOrder, { trigger, detail }: IncomingEvent, now: Date): Progress {
  const { progress } = order;
  return {
    ...progress,
    // InstructionUnknown can come several times; each time the instruction is submitted again under its order id.
    applied: trigger === "InstructionUnknown" ? progress.applied : [...progress.applied, trigger],
    ledger: withTransaction(progress.ledger, detail),
    rail: withReport(order, trigger, detail, now),
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
