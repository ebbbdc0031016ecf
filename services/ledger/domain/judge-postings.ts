import { accountIn, type Book } from "./book.ts";
import type { PostCommand, ReverseCommand } from "./command.ts";
import { type Line, offsettingLines } from "./journal.ts";
import { whyNotPost } from "./refusals.ts";
import { exists, type Verdict } from "./verdict.ts";

/** A manual posting. Refusals: unbalanced lines, and what is wrong with the accounts that it names. */
export function judgePost(book: Book, command: PostCommand): Verdict {
  if (book.transactions.has(command.transactionId)) return exists(command);
  const reason = whyNotPost(book, command);
  if (reason !== null) return reason;
  const lines = command.lines.map(
    (line): Line => ({
      accountId: line.ledgerAccountId,
      currency: line.currency,
      layer: "Posted",
      role: "Normal",
      direction: line.direction,
      amountCents: BigInt(line.amountCents),
    }),
  );
  return { lines, refusable: true };
}

/** The opposite of a manual posting, once. Refused: what belongs to somebody, and what closed accounts would get. */
export function judgeReverse(book: Book, command: ReverseCommand): Verdict {
  const transaction = book.transactions.get(command.transactionId);
  if (transaction === undefined) {
    return {
      code: "not_found",
      detail: `There is no ledger transaction ${command.transactionId} in this book.`,
    };
  }
  const { opening, orderId, reversal } = transaction;
  if (opening.kind !== "Post" || orderId !== null) {
    return {
      code: "transaction_owned",
      detail: `The transaction belongs to ${orderId ?? `its ${opening.kind}`}. Cancel or return that instead.`,
    };
  }
  if (reversal !== null) {
    return {
      code: "already_reversed",
      detail: `Journal ${reversal.sequence} reversed it. A reversal is posted once.`,
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
  return { lines: offsettingLines(opening.lines), reverses: opening.sequence, refusable: false };
}
