import type { BookId } from "../../../contracts/ids/ids.ts";
import {
  HoldPlaced,
  HoldRefused,
  HoldReleased,
  HoldSettled,
  JournalPosted,
  JournalRefused,
  JournalReversed,
  LateReturnPosted,
  SuspensePosted,
} from "../../../contracts/messages/ledger.ts";
import type { Cause } from "../../platform/messages/message.ts";
import type { OutboxWriter } from "../../platform/outbox/outbox.ts";
import type { Outcome } from "../book/book-state.ts";
import type { LedgerCommand } from "../book/commands.ts";

/** Says what a command came to. A repeat is told again, as a new message: its sender may have missed the first. */
export function publishOutcome(
  outbox: OutboxWriter,
  book: BookId,
  command: LedgerCommand,
  outcome: Outcome,
  cause: Cause,
): void {
  const { commandId } = command;
  if (outcome.result === "Refused") return publishRefusal(outbox, book, command, outcome, cause);
  const { transactionId, sequence } = outcome;
  const posted = { commandId, transactionId, sequence };
  switch (command.kind) {
    case "Hold":
    case "Settle":
    case "Release": {
      const { orderId } = command;
      const type = { Hold: HoldPlaced, Settle: HoldSettled, Release: HoldReleased }[command.kind];
      outbox.add(type, { book, subject: orderId, data: { ...posted, orderId }, cause });
      return;
    }
    case "LateReturn": {
      const { orderId, returnId } = command;
      outbox.add(LateReturnPosted, { book, subject: orderId, data: { ...posted, orderId, returnId }, cause });
      return;
    }
    case "Suspense": {
      const { orderId } = command;
      outbox.add(SuspensePosted, { book, subject: orderId, data: { ...posted, orderId }, cause });
      return;
    }
    case "Post":
    case "Reverse": {
      const type = command.kind === "Post" ? JournalPosted : JournalReversed;
      outbox.add(type, { book, subject: transactionId, data: posted, cause });
      return;
    }
    default: // told by who writes it, or to somebody who waits for the answer
  }
}

function publishRefusal(
  outbox: OutboxWriter,
  book: BookId,
  command: LedgerCommand,
  { transactionId, code, detail }: Extract<Outcome, { result: "Refused" }>,
  cause: Cause,
): void {
  const refused = { commandId: command.commandId, code, detail };
  if (command.kind === "Hold") {
    const { orderId } = command;
    outbox.add(HoldRefused, { book, subject: orderId, data: { ...refused, orderId }, cause });
  } else {
    outbox.add(JournalRefused, { book, subject: transactionId, data: { ...refused, transactionId }, cause });
  }
}
