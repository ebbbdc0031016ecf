import { accountIn, type Book, type Calendar, type ManualDetails, type Transaction } from "../book-state.ts";
import type {
  Basis,
  ManualLine,
  OpenPendingCommand,
  PostCommand,
  PostPendingCommand,
  ReverseCommand,
  VoidPendingCommand,
} from "../commands.ts";
import { duplicateTransaction, type DraftDecision } from "../decision.ts";
import { rejectBeforeHold, rejectEffectiveDate } from "../effective-date.ts";
import { type Line, offsettingLines, releaseLines, settlementLines } from "../journal.ts";
import { rejectPosting, type Rejection, rejectUnbalanced } from "../rejections.ts";
import { isManual, statusOf } from "../transaction-status.ts";

type ManualOpening = PostCommand | OpenPendingCommand;
type ManualTransaction = Transaction & { readonly manual: ManualDetails };

/**
 * A manual transaction, posted at once or held. Rejections, in this order: unbalanced lines, a basis that is not real
 * (if it posts), the date, then its accounts.
 */
export function decidePosting(book: Book, command: ManualOpening): DraftDecision {
  if (book.transactions.has(command.transactionId)) return duplicateTransaction(command);
  const rejection =
    rejectLinesAndBasis(command) ??
    rejectCallersDate(book, command.effectiveAt) ??
    rejectPosting(book, command.lines);
  if (rejection !== null) return rejection;
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
  return { lines, effectiveAt: isoDate(command.effectiveAt ?? presentOf(book)), limits: "All" };
}

/** The rules for a manual transaction that need no book. */
export function rejectLinesAndBasis(
  opening: Pick<ManualOpening, "kind" | "basis"> & {
    readonly lines: readonly Omit<ManualLine, "ledgerAccountId">[];
  },
): Rejection | null {
  return rejectUnbalanced(opening.lines) ?? (opening.kind === "Post" ? rejectBasis(opening.basis) : null);
}

/**
 * Posts or voids a manual hold. It does not check whether accounts are closed: an account with an open hold can't be
 * closed. Rejections of a post: a basis that is not real, and a date before the hold's or out of bounds.
 */
export function decidePendingResolution(
  book: Book,
  command: PostPendingCommand | VoidPendingCommand,
): DraftDecision {
  const transaction = manualTransaction(book, command);
  if ("code" in transaction) return transaction;
  const { opening, manual } = transaction;
  const status = statusOf(transaction);
  if (status !== "Pending") {
    return {
      code: "invalid_state_transition",
      detail: `The transaction is ${status}; only a Pending one can be posted or voided.`,
    };
  }
  const resolves = opening.sequence;
  if (command.kind === "VoidPending") {
    const effectiveAt = command.effectiveAt ?? undoDate(book, manual);
    return { resolves, lines: releaseLines(opening.lines), effectiveAt, limits: "None" };
  }
  const effectiveAt = isoDate(command.effectiveAt ?? manual.effectiveAt);
  const rejection =
    rejectBasis(manual.basis) ??
    rejectBeforeHold(new Date(effectiveAt), manual.effectiveAt) ??
    rejectCallersDate(book, effectiveAt, new Date(manual.effectiveAt));
  return rejection ?? { resolves, lines: settlementLines(opening.lines), effectiveAt, limits: "Gross" };
}

/** Reverses a manual posting, once. Rejects a reversal that would post to a closed account. */
export function decideReversal(book: Book, command: ReverseCommand): DraftDecision {
  const transaction = manualTransaction(book, command);
  if ("code" in transaction) return transaction;
  const { opening, resolution, reversal, manual } = transaction;
  if (reversal !== null) {
    return {
      code: "already_reversed",
      detail: "The transaction is already reversed. Create another one to move the money again.",
    };
  }
  const status = statusOf(transaction);
  if (status !== "Posted") {
    const instead = status === "Pending" ? "Void it instead." : "It moved nothing.";
    return {
      code: "invalid_state_transition",
      detail: `The transaction is ${status}; only a Posted one can be reversed. ${instead}`,
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
    effectiveAt: command.effectiveAt ?? undoDate(book, manual),
    limits: "Range",
  };
}

/** The transaction that a manual step continues. It must exist, and must not belong to an order or another process. */
function manualTransaction(
  book: Book,
  { transactionId }: PostPendingCommand | VoidPendingCommand | ReverseCommand,
): ManualTransaction | Rejection {
  const transaction = book.transactions.get(transactionId);
  if (transaction === undefined) {
    return { code: "not_found", detail: `There is no ledger transaction ${transactionId} in this book.` };
  }
  const { opening, orderId, manual } = transaction;
  if (!isManual(transaction)) {
    return {
      code: "transaction_owned",
      detail: `The transaction belongs to ${orderId ?? `its ${opening.kind}`}. Cancel or return that instead.`,
    };
  }
  if (manual === null) throw new TypeError(`the details of ${transactionId} were not loaded`);
  return { ...transaction, manual };
}

/** Only real figures are posted. A Demo or Missing one may be held, and voided. */
function rejectBasis(basis: Basis | null): Rejection | null {
  if (basis === "Demo") {
    return {
      code: "basis_is_demo_data",
      detail: "The figure is demo data and can't be posted. Send the actual figure with the basis Actual.",
    };
  }
  if (basis === "Missing") {
    return {
      code: "basis_missing_input",
      detail:
        "The figure lacks an input and can't be posted. Send it with the basis Actual once it is known.",
    };
  }
  return null;
}

/**
 * Without a date there is nothing to check, because the ledger then chooses it. `known` was accepted before, such as
 * the hold's date.
 */
function rejectCallersDate(book: Book, effectiveAt: string | null, known = book.now): Rejection | null {
  if (effectiveAt === null) return null;
  const { began, closedThrough } = calendarOf(book);
  // The book began at a real time, and its clock may stand before it.
  const first = earliest(began, earliest(known, book.now));
  return rejectEffectiveDate(new Date(effectiveAt), { began: first, closedThrough, now: book.now });
}

/** Now, or just after the closed period: a requested statement can end just after the time where a clock stands. */
function presentOf(book: Book): Date {
  const { closedThrough } = calendarOf(book);
  if (closedThrough === null || closedThrough < book.now) return book.now;
  return new Date(closedThrough.getTime() + 1);
}

function calendarOf({ id, calendar }: Book): Calendar {
  if (calendar === null) throw new TypeError(`the calendar of ${id} was not loaded`);
  return calendar;
}

const earliest = (one: Date, other: Date) => (one < other ? one : other);

/** The present, but not before the date of the movement that it undoes, which may be minutes ahead of our clock. */
function undoDate(book: Book, { effectiveAt }: ManualDetails): string {
  return isoDate(Math.max(presentOf(book).getTime(), Date.parse(effectiveAt)));
}

function isoDate(date: string | number | Date): string {
  return new Date(date).toISOString();
}
