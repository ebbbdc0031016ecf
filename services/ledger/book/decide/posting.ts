import { accountIn, type Book, type Transaction } from "../book-state.ts";
import type {
  OpenPendingCommand,
  PostCommand,
  PostPendingCommand,
  ReverseCommand,
  VoidPendingCommand,
} from "../commands.ts";
import { type Line, offsettingLines, releaseLines, settlementLines } from "../journal.ts";
import { type Rejection, rejectPosting, rejectUnbalanced } from "../rejections.ts";
import { isManual, statusOf } from "../transaction-status.ts";
import { duplicateTransaction, type DraftDecision } from "../decision.ts";

/** A manual movement, at once or held. Refusals: unbalanced lines, and what is wrong with the accounts that it names. */
export function decidePosting(book: Book, command: PostCommand | OpenPendingCommand): DraftDecision {
  if (book.transactions.has(command.transactionId)) return duplicateTransaction(command);
  const reason = rejectUnbalanced(command.lines) ?? rejectPosting(book, command.lines);
  if (reason !== null) return reason;
  const layer = command.kind === "Post" ? "Posted" : "Pending";
  const lines = command.lines.map(
    (line): Line => ({
      accountId: line.ledgerAccountId,
      currency: line.currency,
      layer,
      role: "Normal",
      direction: line.direction,
      amountCents: BigInt(line.amountCents),
    }),
  );
  return { lines, refusable: true };
}

/**
 * The end of a manual hold, posted or given back. Its accounts can't have closed meanwhile: an account with an open
 * hold doesn't close.
 */
export function decidePendingResolution(
  book: Book,
  command: PostPendingCommand | VoidPendingCommand,
): DraftDecision {
  const transaction = manualTransaction(book, command);
  if ("code" in transaction) return transaction;
  const { opening } = transaction;
  const status = statusOf(transaction);
  if (status !== "Pending") {
    return {
      code: "invalid_state_transition",
      detail: `The transaction is ${status}; only a Pending one is posted or voided.`,
    };
  }
  const lines = command.kind === "PostPending" ? settlementLines(opening.lines) : releaseLines(opening.lines);
  return { lines, resolves: opening.sequence, refusable: false };
}

/** The opposite of a manual posting, once. Refused: what belongs to somebody, and what closed accounts would get. */
export function decideReversal(book: Book, command: ReverseCommand): DraftDecision {
  const transaction = manualTransaction(book, command);
  if ("code" in transaction) return transaction;
  const { opening, resolution, reversal } = transaction;
  if (reversal !== null) {
    return {
      code: "already_reversed",
      detail: "The transaction was reversed. A reversal is posted once; to move it again, create another.",
    };
  }
  const status = statusOf(transaction);
  if (status !== "Posted") {
    const instead = status === "Pending" ? "Void it instead." : "It moved nothing.";
    return {
      code: "invalid_state_transition",
      detail: `The transaction is ${status}; only a Posted one is reversed. ${instead}`,
    };
  }
  const closed = opening.lines
    .map((line) => accountIn(book, line.accountId))
    .find((account) => account.closed);
  if (closed !== undefined) {
    return {
      code: "ledger_account_closed",
      detail: `${closed.name} is closed. Post the correction to an open account.`,
    };
  }
  const posted = resolution === null ? opening.lines : settlementLines(opening.lines);
  return {
    lines: offsettingLines(posted),
    reverses: resolution?.sequence ?? opening.sequence,
    refusable: "OutOfRange",
  };
}

/** What a step by hand goes on with: it must be there, and nobody else's. */
function manualTransaction(
  book: Book,
  { transactionId }: PostPendingCommand | VoidPendingCommand | ReverseCommand,
): Transaction | Rejection {
  const transaction = book.transactions.get(transactionId);
  if (transaction === undefined) {
    return { code: "not_found", detail: `There is no ledger transaction ${transactionId} in this book.` };
  }
  if (isManual(transaction)) return transaction;
  const { opening, orderId } = transaction;
  return {
    code: "transaction_owned",
    detail: `The transaction belongs to ${orderId ?? `its ${opening.kind}`}. Cancel or return that instead.`,
  };
}
