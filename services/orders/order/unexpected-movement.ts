import { derivedUuid, idOf } from "../../../contracts/ids/ids.ts";
import type { EventTrigger } from "./lifecycle.ts";
import type { PaymentOrder, UnexpectedMovement } from "./payment-order.ts";

/** The parts of an event that can report an unexpected movement. */
interface Report {
  readonly trigger: EventTrigger;
  readonly detail: { readonly return?: { readonly traceNumber: string; readonly code: string } };
}

/**
 * The movement that an event reports of an order that is already final, or null if it reports none. A settlement
 * counts only after the rail's failure or return. A return counts only after another return, after an unexpected
 * settlement, or if the receiver of a completed order has sent the money back: money that never moved cannot come back.
 */
export function unexpectedMovementOf(
  order: PaymentOrder,
  { trigger, detail }: Report,
  now: Date,
): UnexpectedMovement | null {
  const { applied, rail } = order.progress;
  const { return: returned, unexpectedMovements } = rail;
  const isSentBack = order.phase === "Completed" && rail.sentBackBy !== undefined;
  const endedByRail = applied.includes("InstructionFailed") || returned !== null;
  if (!isSentBack && (!isFinalAtRail(order) || !endedByRail)) return null;
  if (trigger === "InstructionSettled") return movementOf(order, "Settlement", "settlement", null, now);
  if (trigger !== "InstructionReturned" || detail.return === undefined) return null;
  const hasMoved =
    isSentBack || returned !== null || unexpectedMovements.some(({ movement }) => movement === "Settlement");
  if (!hasMoved) return null;
  const { traceNumber, code } = detail.return;
  return movementOf(order, "Return", `return/${traceNumber}/${code}`, code, now);
}

/** True if no event of its rail can change the order's phase any more. */
function isFinalAtRail({ phase, progress }: PaymentOrder): boolean {
  const phases = ["ReleasingAsFailed", "ReleasingAsReturned", "Failed", "Returned", "PostingLateReturn"];
  return phases.includes(phase) || (phase === "Completed" && progress.rail.return !== null);
}

function movementOf(
  order: PaymentOrder,
  movement: UnexpectedMovement["movement"],
  step: string,
  returnCode: string | null,
  now: Date,
): UnexpectedMovement {
  const commandId = derivedUuid(order.id, `suspense/${step}`);
  return {
    movement,
    returnCode,
    commandId,
    ledgerTransactionId: idOf("lt", commandId),
    at: now.toISOString(),
  };
}
