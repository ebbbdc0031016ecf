import { derivedUuid, idOf } from "../../../contracts/ids/ids.ts";
import type { EventTrigger } from "./lifecycle.ts";
import type { PaymentOrder, UnexpectedMovement } from "./payment-order.ts";

/** An event as far as it can tell of a stray movement. */
interface Told {
  readonly trigger: EventTrigger;
  readonly detail: { readonly return?: { readonly traceNumber: string; readonly code: string } };
}

/**
 * The movement that an event tells of which has no place in the order's life any more; null when it tells of none:
 * then it is parked as it is. A settlement must follow a failure or return of the rail's, and a return another return
 * or a stray settlement: of what has never moved nothing comes back.
 */
export function unexpectedMovementOf(
  order: PaymentOrder,
  { trigger, detail }: Told,
  now: Date,
): UnexpectedMovement | null {
  const { applied, return: returned, unexpectedMovements = [] } = order.progress;
  const atRail = applied.includes("InstructionFailed") || returned !== null;
  if (!isOver(order) || !atRail) return null;
  if (trigger === "InstructionSettled") return movementOf(order, "Settlement", "settlement", null, now);
  if (trigger !== "InstructionReturned" || detail.return === undefined) return null;
  if (returned === null && !unexpectedMovements.some(({ movement }) => movement === "Settlement"))
    return null;
  const { traceNumber, code } = detail.return;
  return movementOf(order, "Return", `return/${traceNumber}/${code}`, code, now);
}

/** Nothing that a rail says can move it along any more. */
function isOver({ phase, progress }: PaymentOrder): boolean {
  const over = ["ReleasingAsFailed", "ReleasingAsReturned", "Failed", "Returned", "PostingLateReturn"];
  return over.includes(phase) || (phase === "Completed" && progress.return !== null);
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
