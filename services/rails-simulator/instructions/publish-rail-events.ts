import {
  InstructionAccepted,
  InstructionFailed,
  InstructionReturned,
  InstructionSettled,
} from "../../../contracts/messages/rails.ts";
import type { Cause } from "../../platform/messages/message.ts";
import type { OutboxWriter } from "../../platform/outbox/outbox.ts";
import type { Unit } from "../../platform/handlers/unit-of-work.ts";
import { movementsOf } from "./domain/bank-book.ts";
import type { Instruction, SaidFact } from "./domain/instruction.ts";
import { returnTraceOf } from "./domain/rail-references.ts";
import { insertMovements } from "./store/bank-movements.ts";

/** What is said of one instruction: earlier, and now for the first time. */
export interface Saying {
  readonly instruction: Instruction;
  readonly before: readonly SaidFact[];
  readonly now: readonly SaidFact[];
  readonly cause: Cause;
}

/** Says new facts: the money moves in the bank's book and the world is told, in one transaction. */
export async function sayFirst(unit: Unit, sayings: readonly Saying[]): Promise<void> {
  const movements = sayings.flatMap(({ instruction, before, now }) => movementsOf(instruction, before, now));
  await insertMovements(unit.sql, movements);
  for (const { instruction, now, cause } of sayings) tell(unit.outbox, instruction, now, cause);
}

/** Says facts again, word for word: only the messages are new. */
export function tell(
  outbox: OutboxWriter,
  instruction: Instruction,
  facts: readonly SaidFact[],
  cause: Cause,
): void {
  const { book, orderId, railReference } = instruction;
  for (const { number, fact, occurredAt } of facts) {
    const about = { book, subject: orderId, sequence: number, cause };
    const said = { orderId, number, occurredAt: occurredAt.toISOString() };
    switch (fact.kind) {
      case "Accepted":
        outbox.add(InstructionAccepted, { ...about, data: { ...said, railReference } });
        break;
      case "Settled":
        outbox.add(InstructionSettled, { ...about, data: { ...said, railReference } });
        break;
      case "Failed":
        outbox.add(InstructionFailed, {
          ...about,
          data: { ...said, code: fact.code, message: fact.message },
        });
        break;
      case "Returned": {
        const traceNumber = returnTraceOf(orderId, fact.code);
        outbox.add(InstructionReturned, { ...about, data: { ...said, code: fact.code, traceNumber } });
        break;
      }
    }
  }
}
