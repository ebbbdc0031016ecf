import type { BookId } from "../../../contracts/ids/ids.ts";
import {
  HoldPlaced,
  HoldRefused,
  HoldReleased,
  HoldSettled,
  LateReturnPosted,
  SuspensePosted,
} from "../../../contracts/messages/ledger.ts";
import type { Cause } from "../../platform/messages/message.ts";
import type { OutboxWriter } from "../../platform/outbox/outbox.ts";
import type { Outcome } from "../book/book-state.ts";
import type { LedgerCommand } from "../book/commands.ts";

/**
 * Publishes the outcome of an order's command. A repeated command is answered with a new message, because its sender
 * may have missed the first. Other commands have no message: their handler or consumer reports what became of them.
 */
export function publishOutcome(
  outbox: OutboxWriter,
  book: BookId,
  command: LedgerCommand,
  outcome: Outcome,
  cause: Cause,
): void {
  if (!("orderId" in command)) return;
  const { commandId, orderId } = command;
  const about = { book, subject: orderId, cause };
  if (outcome.result === "Refused") {
    if (command.kind !== "Hold") throw new TypeError(`a ${command.kind} can't be refused`);
    const { code, detail } = outcome;
    outbox.add(HoldRefused, { ...about, data: { commandId, code, detail, orderId } });
    return;
  }
  const { transactionId, sequence } = outcome;
  const data = { commandId, transactionId, sequence, orderId };
  switch (command.kind) {
    case "Hold":
      outbox.add(HoldPlaced, { ...about, data });
      break;
    case "Settle":
      outbox.add(HoldSettled, { ...about, data });
      break;
    case "Release":
      outbox.add(HoldReleased, { ...about, data });
      break;
    case "LateReturn":
      outbox.add(LateReturnPosted, { ...about, data: { ...data, returnId: command.returnId } });
      break;
    case "Suspense":
      outbox.add(SuspensePosted, { ...about, data });
  }
}
