import {
  InstructionAccepted,
  InstructionFailed,
  InstructionReturned,
  InstructionSettled,
} from "../../../contracts/messages/rails.ts";
import type { PaymentOrderId } from "../../../contracts/ids/ids.ts";
import type { Cause } from "../../platform/messages/message.ts";
import type { OutboxWriter } from "../../platform/outbox/outbox.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { bankMovements } from "./domain/bank-movements.ts";
import type { Instruction, PublishedEvent } from "./domain/instruction.ts";
import { returnTraceOf } from "./domain/rail-references.ts";
import { insertMovements } from "./store/bank-movements.ts";

/** What the rail reports about one instruction. */
export interface RailReport {
  readonly instruction: Instruction;
  /** Events that were published earlier. */
  readonly before: readonly PublishedEvent[];
  /** Events that are published now for the first time. */
  readonly now: readonly PublishedEvent[];
  readonly cause: Cause;
}

/** Publishes the new events of the reports and books the money that they move at the bank, in one transaction. */
export function publishNew(unit: UnitOfWork, reports: readonly RailReport[]): void {
  const movements = reports.flatMap(({ instruction, before, now }) =>
    bankMovements(instruction, before, now),
  );
  unit.withCommit(insertMovements(unit.sql, movements));
  for (const { instruction, now, cause } of reports) addToOutbox(unit.outbox, instruction, now, cause);
}

/** The steps that reports publish, with their times. */
export function publishedNow(
  reports: readonly RailReport[],
): { orderId: PaymentOrderId; number: number; at: Date }[] {
  return reports.flatMap(({ instruction: { orderId }, now }) =>
    now.map(({ number, occurredAt: at }) => ({ orderId, number, at })),
  );
}

/** Publishes events again: the same data under new message ids. Moves no money. */
export const republish = addToOutbox;

function addToOutbox(
  outbox: OutboxWriter,
  { book, orderId, railReference }: Instruction,
  events: readonly PublishedEvent[],
  cause: Cause,
): void {
  for (const { number, event, occurredAt } of events) {
    const attributes = { book, subject: orderId, sequence: number, cause };
    const common = { orderId, number, occurredAt: occurredAt.toISOString() };
    switch (event.kind) {
      case "Accepted":
        outbox.add(InstructionAccepted, { ...attributes, data: { ...common, railReference } });
        break;
      case "Settled":
        outbox.add(InstructionSettled, { ...attributes, data: { ...common, railReference } });
        break;
      case "Failed": {
        const { code, message } = event;
        outbox.add(InstructionFailed, { ...attributes, data: { ...common, code, message } });
        break;
      }
      case "Returned": {
        const traceNumber = returnTraceOf(orderId, event.code);
        outbox.add(InstructionReturned, {
          ...attributes,
          data: { ...common, code: event.code, traceNumber },
        });
        break;
      }
    }
  }
}
