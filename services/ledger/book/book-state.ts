import type { ErrorCode } from "../../../contracts/errors.ts";
import type {
  BookId,
  LedgerAccountId,
  LedgerTransactionId,
  ObligationId,
  PaymentOrderId,
} from "../../../contracts/ids/ids.ts";
import type { Account } from "./account.ts";
import type { Basis, LedgerCommand } from "./commands.ts";
import { isOpening, type Journal, type Line, type OpeningKind } from "./journal.ts";
import type { Obligation } from "./obligation.ts";

/** The result of a command; it never changes. A refusal is an outcome too. */
export type Outcome =
  | { readonly result: "Appended"; readonly transactionId: LedgerTransactionId; readonly sequence: number }
  | {
      readonly result: "Refused";
      readonly transactionId: LedgerTransactionId;
      readonly code: ErrorCode;
      readonly detail: string;
      /** For the first caller only: neither field is stored, so a resend lacks them. */
      readonly accountId?: LedgerAccountId;
      readonly availableCents?: bigint;
    };

/** How far a transaction has come: opened, its hold resolved, its posting reversed; each at most once. */
export interface Transaction {
  readonly id: LedgerTransactionId;
  readonly orderId: PaymentOrderId | null;
  readonly opening: {
    readonly sequence: number;
    readonly kind: OpeningKind;
    readonly lines: readonly Line[];
  };
  readonly resolution: { readonly sequence: number; readonly kind: "Settle" | "Release" } | null;
  readonly reversal: { readonly sequence: number } | null;
  /** Null unless a tenant created it directly. Loaded only for the commands that continue such a transaction. */
  readonly manual: ManualDetails | null;
}

export interface ManualDetails {
  /** Null for a transaction without details. */
  readonly basis: Basis | null;
  /** The date of its settlement if it has one, otherwise of its opening. */
  readonly effectiveAt: string;
}

/** The bounds for the date of a manual movement. */
export interface Calendar {
  /** When the book was created. */
  readonly began: Date;
  /** The end of the last closed period. */
  readonly closedThrough: Date | null;
}

/** The part of a book that a batch of commands needs to be decided. */
export interface Book {
  readonly id: BookId;
  readonly lastSequence: number;
  /** Read while the head is locked: `calendar` then includes every period that closed before it. */
  readonly now: Date;
  /** Null unless a command of the batch has a date to check. */
  readonly calendar: Calendar | null;
  readonly accounts: ReadonlyMap<LedgerAccountId, Account>;
  readonly transactions: ReadonlyMap<LedgerTransactionId, Transaction>;
  /** Only those whose liability accounts the commands touch. */
  readonly obligations: ReadonlyMap<ObligationId, Obligation>;
  /** By command id. */
  readonly outcomes: ReadonlyMap<string, { readonly requestHash: string; readonly outcome: Outcome }>;
}

/** The book while a batch is decided: `evolve` changes it after each command. */
export interface WorkingBook extends Book {
  lastSequence: number;
  calendar: Calendar | null;
  readonly accounts: Map<LedgerAccountId, Account>;
  readonly transactions: Map<LedgerTransactionId, Transaction>;
  readonly obligations: Map<ObligationId, Obligation>;
  readonly outcomes: Map<string, { requestHash: string; outcome: Outcome }>;
}

/** Applies a decided command to the book: its outcome, and its journal if it has one. */
export function evolve(
  book: WorkingBook,
  command: LedgerCommand,
  decided: { readonly requestHash: string; readonly outcome: Outcome; readonly journal: Journal | null },
): void {
  const { requestHash, outcome, journal } = decided;
  book.outcomes.set(command.commandId, { requestHash, outcome });
  if (journal === null) return;
  book.lastSequence = journal.sequence;
  for (const entry of journal.entries) {
    const account = book.accounts.get(entry.accountId);
    if (account === undefined) throw new TypeError(`${entry.accountId} is not in the working book`);
    book.accounts.set(account.id, { ...account, version: entry.version, counters: entry.totals });
  }
  book.transactions.set(
    journal.transactionId,
    transactionAfter(book.transactions.get(journal.transactionId), command, journal),
  );
}

function transactionAfter(
  before: Transaction | undefined,
  command: LedgerCommand,
  journal: Journal,
): Transaction {
  const { sequence, kind, transactionId: id, orderId, effectiveAt, entries } = journal;
  if (isOpening(kind)) {
    const manual = "basis" in command ? { basis: command.basis, effectiveAt } : null;
    return {
      id,
      orderId,
      opening: { sequence, kind, lines: entries },
      resolution: null,
      reversal: null,
      manual,
    };
  }
  if (before === undefined) throw new TypeError(`${id} continues but was never opened`);
  if (kind === "Release") return { ...before, resolution: { sequence, kind } };
  if (kind === "Settle") {
    const manual = before.manual === null ? null : { ...before.manual, effectiveAt };
    return { ...before, resolution: { sequence, kind }, manual };
  }
  return { ...before, reversal: { sequence } };
}

/** An account of the book. Throws if the batch did not load it. */
export function accountIn(book: Book, id: LedgerAccountId): Account {
  const account = book.accounts.get(id);
  if (account === undefined) throw new TypeError(`${id} was not read into the working book`);
  return account;
}

/** The accounts that a transaction's next step may touch, besides Suspense. */
export function accountsOf(transaction: Transaction): LedgerAccountId[] {
  return transaction.opening.lines.map((line) => line.accountId);
}
