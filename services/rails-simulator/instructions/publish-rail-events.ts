import {
  InstructionAccepted,
  InstructionFailed,
  InstructionReturned,
  InstructionSettled,
} from "../../../contracts/messages/rails.ts";
import type { Cause } from "../../platform/messages/message.ts";
import type { OutboxWriter } from "../../platform/outbox/outbox.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { movementsOf } from "./domain/bank-book.ts";
import type { Instruction, SaidEvent } from "./domain/instruction.ts";
import { returnTraceOf } from "./domain/rail-references.ts";
import { insertMovements } from "./store/bank-movements.ts";

/** What is said of one instruction: earlier, and now for the first time. */
export interface Saying {
  readonly instruction: Instruction;
  readonly before: readonly SaidEvent[];
  readonly now: readonly SaidEvent[];
  readonly cause: Cause;
}

/** Says new events: the money moves in the bank's book and the world is told, in one transaction. */
export async function sayFirst(unit: UnitOfWork, sayings: readonly Saying[]): Promise<void> {
  const movements = sayings.flatMap(({ instruction, before, now }) => movementsOf(instruction, before, now));
  await insertMovements(unit.sql, movements);
  for (const { instruction, now, cause } of sayings) tell(unit.outbox, instruction, now, cause);
}

/** Says events again, word for word: only the messages are new. */
export function tell(
  outbox: OutboxWriter,
  instruction: Instruction,
  events: readonly SaidEvent[],
  cause: Cause,
): void {
  const { book, orderId, railReference } = instruction;
  for (const { number, event, occurredAt } of events) {
    const about = { book, subject: orderId, sequence: number, cause };
    const said = { orderId, number, occurredAt: occurredAt.toISOString() };
    switch (event.kind) {
      case "Accepted":
        outbox.add(InstructionAccepted, { ...about, data: { ...said, railReference } });
        break;
      case "Settled":
        outbox.add(InstructionSettled, { ...about, data: { ...said, railReference } });
        break;
      case "Failed":
        outbox.add(InstructionFailed, {
          ...about,
          data: { ...said, code: event.code, message: event.message },
        });
        break;
      case "Returned": {
        const traceNumber = returnTraceOf(orderId, event.code);
        outbox.add(InstructionReturned, { ...about, data: { ...said, code: event.code, traceNumber } });
        break;
      }
    }
  }
}
