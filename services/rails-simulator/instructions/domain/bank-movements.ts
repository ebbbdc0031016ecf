import type { BookId, PaymentOrderId } from "../../../../contracts/ids/ids.ts";
import type { Instruction, PublishedEvent } from "./instruction.ts";
import { referenceText, returnTraceOf } from "./rail-references.ts";

/** A line of the settlement account in the bank's records, which reconciliation compares with the ledger. */
export interface BankMovement {
  readonly book: BookId;
  readonly orderId: PaymentOrderId;
  readonly number: number;
  readonly kind: "Settlement" | "Return" | "UnmatchedReturn" | "SentBack";
  readonly side: "In" | "Out";
  readonly amountCents: number;
  readonly reference: string;
  readonly occurredAt: Date;
}

/**
 * The money that events move at the bank: a settlement, and a return after settlement. A first return before
 * settlement moves nothing. A second return does: the bank sends money again. So do an unmatched return, and a
 * payment that its receiver sends back.
 * @param happened every event of the instruction, published or not: the rail may report a return before its settlement.
 * @param now events that it publishes now.
 */
export function bankMovements(
  instruction: Instruction,
  happened: readonly Pick<PublishedEvent, "number" | "event">[],
  now: readonly PublishedEvent[],
): BankMovement[] {
  const { book, orderId, amountCents, direction } = instruction;
  const [settlementSide, returnSide] =
    direction === "Credit" ? (["Out", "In"] as const) : (["In", "Out"] as const);
  const moved = happened.filter(({ event }) => event.kind === "Settled" || event.kind === "Returned");
  const movements: BankMovement[] = [];
  for (const { number, event, occurredAt } of now) {
    const line = { book, orderId, number, amountCents, occurredAt };
    if (event.kind === "Settled") {
      const reference = referenceText(instruction.railReference);
      movements.push({ ...line, kind: "Settlement", side: settlementSide, reference });
    }
    if (event.kind === "UnmatchedReturn" || event.kind === "SentBack") {
      const { kind, reference } = event;
      movements.push({ ...line, kind, side: returnSide, reference });
    }
    if (event.kind === "Returned" && moved.some((earlier) => earlier.number < number)) {
      const reference = returnTraceOf(orderId, event.code, event.repetition);
      movements.push({ ...line, kind: "Return", side: returnSide, reference });
    }
  }
  return movements;
}
