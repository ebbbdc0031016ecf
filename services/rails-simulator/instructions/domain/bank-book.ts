import type { BookId, PaymentOrderId } from "../../../../contracts/ids/ids.ts";
import type { Instruction, SaidEvent } from "./instruction.ts";
import { referenceText, returnTraceOf } from "./rail-references.ts";

/** A line of the settlement account as the bank keeps it: a record of its own, compared with the ledger later. */
export interface BankMovement {
  readonly book: BookId;
  readonly orderId: PaymentOrderId;
  readonly number: number;
  readonly kind: "Settlement" | "Return";
  readonly side: "In" | "Out";
  readonly amountCents: number;
  readonly reference: string;
  readonly occurredAt: Date;
}

/**
 * The money that events move at the bank: a settlement, and the return of what had settled. A return before
 * settlement moves nothing, but a second return is money that the bank sends once more.
 * @param before what the rail has said of the instruction earlier.
 * @param now the events said now, in order.
 */
export function movementsOf(
  instruction: Instruction,
  before: readonly SaidEvent[],
  now: readonly SaidEvent[],
): BankMovement[] {
  const { book, orderId, amountCents, direction } = instruction;
  const [settles, comesBack] = direction === "Credit" ? (["Out", "In"] as const) : (["In", "Out"] as const);
  let moves = before.some(({ event }) => event.kind === "Settled" || event.kind === "Returned");
  const movements: BankMovement[] = [];
  for (const { number, event, occurredAt } of now) {
    const line = { book, orderId, number, amountCents, occurredAt };
    if (event.kind === "Settled") {
      moves = true;
      const reference = referenceText(instruction.railReference);
      movements.push({ ...line, kind: "Settlement", side: settles, reference });
    }
    if (event.kind === "Returned") {
      const reference = returnTraceOf(orderId, event.code);
      if (moves) movements.push({ ...line, kind: "Return", side: comesBack, reference });
      moves = true;
    }
  }
  return movements;
}
