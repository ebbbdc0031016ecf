import type { LedgerAccountId } from "../../../contracts/ids.ts";
import { type Account, counted } from "./account.ts";
import type { Book, Outcome, Transaction } from "./book.ts";
import { requestHash } from "./canonical.ts";
import { chartAccountId } from "./chart-of-accounts.ts";
import {
  type HoldCommand,
  type LateReturnCommand,
  type LedgerCommand,
  type PostCommand,
  type ReleaseCommand,
  type ReverseCommand,
  type SettleCommand,
  type SuspenseCommand,
  transactionOf,
} from "./command.ts";
import {
  type Entry,
  holdLines,
  type Journal,
  type Line,
  offsettingLines,
  releaseLines,
  settlementLines,
  suspenseLines,
} from "./journal.ts";
import { type Reason, whyNotAfter, whyNotHold, whyNotPost } from "./refusals.ts";

/** Why a command can't be anything but a mistake of its sender: nothing is stored, a person looks at it. */
export type Impossibility =
  | "command_conflict"
  | "transaction_exists"
  | "hold_not_found"
  | "hold_not_open"
  | "not_settled"
  | "returned_already";

export type Decision =
  | {
      readonly kind: "Append";
      readonly requestHash: string;
      readonly outcome: Outcome;
      readonly journal: Journal;
    }
  | {
      readonly kind: "Refuse";
      readonly requestHash: string;
      readonly outcome: Outcome;
      readonly journal: null;
    }
  /** The command was decided before: its stored outcome, said again. */
  | { readonly kind: "Repeat"; readonly outcome: Outcome }
  | { readonly kind: "Impossible"; readonly code: Impossibility; readonly reason: string };

/** What a journal is made of, before it has a place in the book. */
interface Draft {
  readonly lines: readonly Line[];
  readonly resolves?: number;
  readonly reverses?: number;
  /** Holds and postings can be refused; what the bank forces, and a correction, is booked below zero too. */
  readonly refusable: boolean;
}
type Verdict = Draft | Reason | { readonly impossible: Impossibility; readonly reason: string };

/**
 * Decides one command against a book, and nothing else does. Pure: gives the outcome and the journal with its entries
 * in place, changes nothing; `advance` moves the book. Postgres checks every rule again by its own means.
 */
export function apply(book: Book, command: LedgerCommand): Decision {
  const hash = requestHash(book.id, command);
  const known = book.outcomes.get(command.commandId);
  if (known !== undefined) {
    return known.requestHash === hash
      ? { kind: "Repeat", outcome: known.outcome }
      : {
          kind: "Impossible",
          code: "command_conflict",
          reason: `command ${command.commandId} was another request`,
        };
  }
  const verdict = judge(book, command);
  if ("impossible" in verdict)
    return { kind: "Impossible", code: verdict.impossible, reason: verdict.reason };
  if ("code" in verdict) return refuse(command, hash, verdict);
  const { entries, after } = place(book, verdict.lines);
  if (verdict.refusable) {
    for (const [id, account] of after) {
      const reason = whyNotAfter(accountIn(book, id), account);
      if (reason !== null) return refuse(command, hash, reason);
    }
  }
  const transactionId = transactionOf(command);
  const sequence = book.lastSequence + 1;
  return {
    kind: "Append",
    requestHash: hash,
    outcome: { result: "Appended", transactionId, sequence },
    journal: {
      book: book.id,
      sequence,
      kind: command.kind === "Suspense" ? "Post" : command.kind,
      transactionId,
      orderId: "orderId" in command ? command.orderId : null,
      commandId: command.commandId,
      resolves: verdict.resolves ?? null,
      reverses: verdict.reverses ?? null,
      effectiveAt: command.effectiveAt,
      entries,
    },
  };
}

function refuse(command: LedgerCommand, hash: string, { code, detail }: Reason): Decision {
  const outcome = { result: "Refused", transactionId: transactionOf(command), code, detail } as const;
  return { kind: "Refuse", requestHash: hash, outcome, journal: null };
}

function judge(book: Book, command: LedgerCommand): Verdict {
  switch (command.kind) {
    case "Hold":
      return judgeHold(book, command);
    case "Settle":
    case "Release":
      return judgeResolution(book, command);
    case "LateReturn":
      return judgeLateReturn(book, command);
    case "Suspense":
      return judgeSuspense(book, command);
    case "Post":
      return judgePost(book, command);
    case "Reverse":
      return judgeReverse(book, command);
  }
}

function judgeHold(book: Book, command: HoldCommand): Verdict {
  if (book.transactions.has(transactionOf(command))) return exists(command);
  const reason = whyNotHold(book, command);
  if (reason !== null) return reason;
  const { contra } = command;
  const lines = holdLines({
    direction: command.direction,
    accountId: command.ledgerAccountId,
    contraId: contra.kind === "LedgerAccount" ? contra.ledgerAccountId : chartAccountId(book.id, contra.kind),
    currency: command.currency,
    amountCents: BigInt(command.amountCents),
  });
  return { lines, refusable: true };
}

function judgeResolution(book: Book, command: SettleCommand | ReleaseCommand): Verdict {
  const transaction = book.transactions.get(transactionOf(command));
  if (transaction === undefined || transaction.opening.kind !== "Hold") {
    return { impossible: "hold_not_found", reason: `${command.orderId} has no hold` };
  }
  const { opening, resolution } = transaction;
  if (resolution !== null) {
    return {
      impossible: "hold_not_open",
      reason: `the hold of ${command.orderId} ended with a ${resolution.kind}`,
    };
  }
  if (command.kind === "Release") {
    return { lines: releaseLines(opening.lines), resolves: opening.sequence, refusable: false };
  }
  const lines = settlementLines(opening.lines).map((line) =>
    line.layer === "Posted" ? landing(book, line) : line,
  );
  return { lines, resolves: opening.sequence, refusable: false };
}

function judgeLateReturn(book: Book, command: LateReturnCommand): Verdict {
  const transaction = book.transactions.get(transactionOf(command));
  if (transaction?.resolution?.kind !== "Settle") {
    return { impossible: "not_settled", reason: `${command.orderId} has not settled` };
  }
  if (transaction.reversal !== null) {
    return {
      impossible: "returned_already",
      reason: `${command.orderId} came back by journal ${transaction.reversal.sequence}`,
    };
  }
  const settled = settlementLines(transaction.opening.lines);
  const lines = offsettingLines(settled).map((line) => landing(book, line));
  return { lines, reverses: transaction.resolution.sequence, refusable: false };
}

/** The bank has moved it already: nothing can refuse that. */
function judgeSuspense(book: Book, command: SuspenseCommand): Verdict {
  if (book.transactions.has(command.transactionId)) return exists(command);
  const lines = suspenseLines({
    direction: command.direction,
    accountId: chartAccountId(book.id, "Suspense"),
    contraId: chartAccountId(book.id, command.contra.kind),
    currency: command.currency,
    amountCents: BigInt(command.amountCents),
    movement: command.movement,
  });
  return { lines, refusable: false };
}

function judgePost(book: Book, command: PostCommand): Verdict {
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

function judgeReverse(book: Book, command: ReverseCommand): Verdict {
  const transaction = book.transactions.get(command.transactionId);
  if (transaction === undefined) {
    return {
      code: "not_found",
      detail: `There is no ledger transaction ${command.transactionId} in this book.`,
    };
  }
  const { opening, orderId, reversal } = transaction;
  if (opening.kind === "Hold" || orderId !== null) {
    return {
      code: "transaction_owned",
      detail: `The transaction belongs to ${orderId ?? "its hold"}. Cancel or return that instead.`,
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

function exists(command: HoldCommand | SuspenseCommand | PostCommand): Verdict {
  return {
    impossible: "transaction_exists",
    reason: `${transactionOf(command)} was opened by another command`,
  };
}

/** Where money goes that the bank forces: to its account, or to Suspense where that is closed. */
function landing(book: Book, line: Line): Line {
  return accountIn(book, line.accountId).closed
    ? { ...line, accountId: chartAccountId(book.id, "Suspense") }
    : line;
}

/** Gives lines their place: numbered, each with its account's next version and the counters after it. */
function place(
  book: Book,
  lines: readonly Line[],
): { entries: Entry[]; after: Map<LedgerAccountId, Account> } {
  const after = new Map<LedgerAccountId, Account>();
  const entries = lines.map((line, index): Entry => {
    const account = after.get(line.accountId) ?? accountIn(book, line.accountId);
    const counters = counted(account.counters, line.layer, line.role, line.direction, line.amountCents);
    const version = account.version + 1;
    after.set(line.accountId, { ...account, version, counters });
    return { ...line, line: index + 1, version, totals: counters };
  });
  return { entries, after };
}

function accountIn(book: Book, id: LedgerAccountId): Account {
  const account = book.accounts.get(id);
  if (account === undefined) throw new TypeError(`${id} was not read into the working book`);
  return account;
}

/** The accounts that a transaction's next step may touch, beside Suspense. */
export function accountsOf(transaction: Transaction): LedgerAccountId[] {
  return transaction.opening.lines.map((line) => line.accountId);
}
