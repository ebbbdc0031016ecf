import type { Book } from "../book-state.ts";
import { chartAccountId } from "../chart-of-accounts.ts";
import {
  type HoldCommand,
  type LateReturnCommand,
  type ReleaseCommand,
  type SettleCommand,
  type SuspenseCommand,
  transactionOf,
} from "../commands.ts";
import { holdLines, offsettingLines, releaseLines, settlementLines, suspenseLines } from "../journal.ts";
import { remittanceLines } from "./accrual.ts";
import { rejectHold } from "../rejections.ts";
import { duplicateTransaction, redirectIfClosed, type DraftDecision } from "../decision.ts";

/** Reserves an order's money. Rejections: those of the accounts that it names. */
export function decideHold(book: Book, command: HoldCommand): DraftDecision {
  if (book.transactions.has(transactionOf(command))) return duplicateTransaction(command);
  const rejection = rejectHold(book, command);
  if (rejection !== null) return rejection;
  const { contra } = command;
  if (contra.kind === "Obligation") {
    const remitted = remittanceLines(book, command, contra);
    return "code" in remitted ? remitted : { lines: remitted, limits: "All" };
  }
  const lines = holdLines({
    direction: command.direction,
    accountId: command.ledgerAccountId,
    contraId: contra.kind === "LedgerAccount" ? contra.ledgerAccountId : chartAccountId(book.id, contra.kind),
    currency: command.currency,
    amountCents: BigInt(command.amountCents),
  });
  return { lines, limits: "All" };
}

/** Settles or releases an order's hold. Never refused: the money has moved, or certainly will not. */
export function decideResolution(book: Book, command: SettleCommand | ReleaseCommand): DraftDecision {
  const transaction = book.transactions.get(transactionOf(command));
  if (transaction === undefined || transaction.opening.kind !== "Hold") {
    return { invalid: "hold_not_found", reason: `${command.orderId} has no hold` };
  }
  const { opening, resolution } = transaction;
  if (resolution !== null) {
    return {
      invalid: "hold_not_open",
      reason: `the hold of ${command.orderId} ended with a ${resolution.kind}`,
    };
  }
  if (command.kind === "Release") {
    return { lines: releaseLines(opening.lines), resolves: opening.sequence, limits: "None" };
  }
  const lines = settlementLines(opening.lines).map((line) =>
    line.layer === "Posted" ? redirectIfClosed(book, line) : line,
  );
  return { lines, resolves: opening.sequence, limits: "None" };
}

/** Books a payment that came back after it had settled. */
export function decideLateReturn(book: Book, command: LateReturnCommand): DraftDecision {
  const transaction = book.transactions.get(transactionOf(command));
  if (transaction?.resolution?.kind !== "Settle") {
    return { invalid: "not_settled", reason: `${command.orderId} has not settled` };
  }
  if (transaction.reversal !== null) {
    return {
      invalid: "returned_already",
      reason: `${command.orderId} was returned by journal ${transaction.reversal.sequence}`,
    };
  }
  const settled = settlementLines(transaction.opening.lines);
  const lines = offsettingLines(settled).map((line) => redirectIfClosed(book, line));
  return { lines, reverses: transaction.resolution.sequence, limits: "None" };
}

/** Books to Suspense what the bank moved for an order that is already final. Never refused: the money has moved. */
export function decideSuspense(book: Book, command: SuspenseCommand): DraftDecision {
  if (book.transactions.has(command.transactionId)) return duplicateTransaction(command);
  const lines = suspenseLines({
    direction: command.direction,
    accountId: chartAccountId(book.id, "Suspense"),
    contraId: chartAccountId(book.id, command.contra.kind),
    currency: command.currency,
    amountCents: BigInt(command.amountCents),
    movement: command.movement,
  });
  return { lines, limits: "None" };
}
