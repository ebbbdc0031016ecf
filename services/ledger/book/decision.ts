import { accountIn, type Book } from "./book-state.ts";
import { chartAccountId } from "./chart-of-accounts.ts";
import { type LedgerCommand, transactionOf } from "./commands.ts";
import type { Journal, Line } from "./journal.ts";
import type { Limits, Rejection } from "./rejections.ts";

/** Why a command is its sender's mistake: nothing is stored, and an operator looks at it. */
export type InvalidCommandCode =
  | "command_conflict"
  | "transaction_exists"
  | "hold_not_found"
  | "hold_not_open"
  | "not_settled"
  | "returned_already"
  | "obligation_not_accruable";

/** A journal before its entries are numbered. */
export interface JournalDraft {
  readonly lines: readonly Line[];
  readonly resolves?: number;
  readonly reverses?: number;
  /** Set if the rule dates the journal; otherwise the command's date counts. */
  readonly effectiveAt?: string;
  readonly limits: Limits;
}

/** What the rule of one kind of command decides: a draft, a rejection, or that the command is invalid. */
export type DraftDecision =
  | JournalDraft
  | Rejection
  | { readonly invalid: InvalidCommandCode; readonly reason: string };

/** Another command opened this transaction: two senders made the same id. */
export function duplicateTransaction(command: LedgerCommand): DraftDecision {
  return {
    invalid: "transaction_exists",
    reason: `${transactionOf(command)} was opened by another command`,
  };
}

/** A line that the bank forces: on its account, or on Suspense if that account is closed. */
export function redirectIfClosed(book: Book, line: Line): Line {
  return accountIn(book, line.accountId).closed
    ? { ...line, accountId: chartAccountId(book.id, "Suspense") }
    : line;
}

/** True for a late return whose money is on Suspense, and on no account of the tenant. */
export function isRedirectedReturn({ book, kind, entries }: Journal): boolean {
  return (
    kind === "LateReturn" && entries.some(({ accountId }) => accountId === chartAccountId(book, "Suspense"))
  );
}
