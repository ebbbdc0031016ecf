import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { sendNow } from "../../platform/persistence/pipeline.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { decide, type Decision } from "../book/decide.ts";
import { evolve, type Outcome } from "../book/book-state.ts";
import type { InvalidCommandCode } from "../book/decision.ts";
import type { Journal } from "../book/journal.ts";
import { type ObligationTransition, transitionFor } from "../book/obligation-history.ts";
import { BookCache } from "./store/book-cache.ts";
import { insertEntries, insertHeaders } from "./store/append-journals.ts";
import { insertOutcomes, type StoredOutcome } from "./store/command-outcomes.ts";
import { type BookCommand, lockAndLoadBooks } from "./store/load-book-state.ts";
import { createMissingBooks, lockBooks, type LockBooks } from "./store/lock-books.ts";
import { insertObligationEvents, saveObligation } from "./store/obligations.ts";

/** While Postgres inserts the entries of so many journals, Node prepares the rest of the batch. */
const manyJournals = 200;

/**
 * A command that only a mistake of its sender explains. Nothing is stored; the consumer isolates it from its batch and
 * dead-letters it for a person.
 */
export class InvalidCommand extends Error {
  override readonly name = "InvalidCommand";
  readonly permanent = true;
  readonly code: InvalidCommandCode | "book_not_found";
  constructor(code: InvalidCommandCode | "book_not_found", reason: string) {
    super(reason);
    this.code = code;
  }
}

/** A command of a batch with its outcome, and what it changed of an obligation. */
export interface DecidedCommand<C extends BookCommand> {
  readonly item: C;
  readonly outcome: Outcome;
  readonly transition: ObligationTransition | null;
}

export interface PostingOptions<C extends BookCommand> {
  /** Runs before the headers are sent. The entries of a large batch are under way by then. */
  readonly onDecided?: (decided: readonly DecidedCommand<C>[], journals: readonly Journal[]) => void;
  readonly lock?: LockBooks;
  /** Accounts and holds that this caller's last batches cached. It is updated only if `afterCommit` is given too. */
  readonly cache?: BookCache;
  readonly afterCommit?: UnitOfWork["afterCommit"];
  /** If given, `postJournals` returns before the inserts have ended; if one fails, the commit fails with its error. */
  readonly withCommit?: UnitOfWork["withCommit"];
}

/**
 * Decides a batch of commands in order, each against the state that the previous one left, then appends all journals
 * with one insert per table. Returns one outcome per command, in the same order.
 *
 * Locks: book heads in book order, then balances (taken by the trigger).
 * Throws `InvalidCommand` or a database error: roll the transaction back. `BooksFrozen` is thrown before any journal is
 * written (new books may already exist), so the caller may retry in the same transaction without the frozen books.
 */
export async function postJournals<C extends BookCommand>(
  sql: Sql,
  commands: readonly C[],
  options: PostingOptions<C> = {},
): Promise<Outcome[]> {
  const { lock = lockBooks, cache = new BookCache() } = options;
  // The first command that names a book's owner creates the book; other commands need an existing one.
  await createMissingBooks(
    sql,
    commands.flatMap(({ book, command }) =>
      "tenantId" in command && cache.guess(book) === undefined ? { ...command, book } : [],
    ),
  );
  const { heads, books } = await lockAndLoadBooks(sql, commands, { lock, cache });
  const journals: Journal[] = [];
  const stored: StoredOutcome[] = [];
  const decided: DecidedCommand<C>[] = [];
  for (const item of commands) {
    const { book: id, command } = item;
    const book = books.get(id);
    if (book === undefined) throw new InvalidCommand("book_not_found", `${id} has no book`);
    const decision = requireValid(decide(book, command));
    const { outcome } = decision;
    if (decision.kind === "Repeat") {
      decided.push({ item, outcome, transition: null });
      continue;
    }
    evolve(book, command, decision);
    if (decision.journal !== null) journals.push(decision.journal);
    stored.push({ book: id, commandId: command.commandId, requestHash: decision.requestHash, outcome });
    const transition = transitionFor(book, command, outcome);
    if (transition !== null) book.obligations.set(transition.after.id, transition.after);
    decided.push({ item, outcome, transition });
  }
  const entries = insertEntries(sql, journals);
  entries.catch(() => undefined); // it is awaited below, unless something throws before
  if (journals.length >= manyJournals) await sendNow();
  options.onDecided?.(decided, journals);
  const written = Promise.all([
    entries,
    insertHeaders(sql, journals),
    insertOutcomes(sql, stored),
    saveTransitions(
      sql,
      decided.flatMap(({ transition }) => transition ?? []),
    ),
  ]).catch((error: unknown) => {
    cache.clear();
    throw isSecondOpening(error)
      ? new InvalidCommand("transaction_exists", "another command opened its transaction")
      : error;
  });
  if (options.withCommit === undefined) await written;
  else options.withCommit(written);
  options.afterCommit?.(() => cache.update(books.values(), heads));
  return decided.map(({ outcome }) => outcome);
}

/** Runs after the batch's journals: a trigger compares each obligation with its liability account. */
async function saveTransitions(sql: Sql, transitions: readonly ObligationTransition[]): Promise<void> {
  if (transitions.length === 0) return;
  const last = new Map(transitions.map(({ after }) => [after.id, after]));
  await Promise.all([
    ...[...last.values()].map((obligation) => saveObligation(sql, obligation)),
    insertObligationEvents(sql, transitions),
  ]);
}

/** A command that opens a transaction is not looked up first: a unique index on openings refuses a second one. */
function isSecondOpening(error: unknown): boolean {
  return (
    error instanceof Error &&
    "constraint" in error &&
    typeof error.constraint === "string" &&
    error.constraint.startsWith("journal_one_opening")
  );
}

function requireValid(decision: Decision): Exclude<Decision, { kind: "Invalid" }> {
  if (decision.kind === "Invalid") throw new InvalidCommand(decision.code, decision.reason);
  return decision;
}
