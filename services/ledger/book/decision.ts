import type { Book } from "./book-state.ts";
import { accountIn } from "./book-state.ts";
import { chartAccountId } from "./chart-of-accounts.ts";
import { type LedgerCommand, transactionOf } from "./commands.ts";
import type { Line } from "./journal.ts";
import type { Rejection } from "./rejections.ts";

/** Why a command can't be anything but a mistake of its sender: nothing is stored, a person looks at it. */
export type InvalidCommandCode =
  | "command_conflict"
  | "transaction_exists"
  | "hold_not_found"
  | "hold_not_open"
  | "not_settled"
  | "returned_already"
  | "obligation_not_accruable";

/** What a journal is made of, before it has a place in the book. */
export interface JournalDraft {
  readonly lines: readonly Line[];
  readonly resolves?: number;
  readonly reverses?: number;
  /**
   * Holds and postings can be refused; what the bank forces is booked below zero too. A correction is booked below
   * zero, but not out of range.
   */
  readonly refusable: boolean | "OutOfRange";
}

/** What a command comes to: the lines of its journal, a refusal, or nothing that can be. */
export type DraftDecision =
  | JournalDraft
  | Rejection
  | { readonly invalid: InvalidCommandCode; readonly reason: string };

/** Another command has opened this transaction: two senders have made the same id. */
export function duplicateTransaction(command: LedgerCommand): DraftDecision {
  return {
    invalid: "transaction_exists",
    reason: `${transactionOf(command)} was opened by another command`,
  };
}

/** Where money goes that the bank forces: to its account, or to Suspense where that is closed. */
export function redirectIfClosed(book: Book, line: Line): Line {
  return accountIn(book, line.accountId).closed
    ? { ...line, accountId: chartAccountId(book.id, "Suspense") }
    : line;
}
