import { Controller } from "@nestjs/common";
import type { AnyMessage } from "../../../contracts/message.ts";
import {
  PlaceHold,
  PostJournal,
  PostLateReturn,
  PostToSuspense,
  ReleaseHold,
  ReverseJournal,
  SettleHold,
} from "../../../contracts/messages/ledger.ts";
import { Consumes, type MessageOf } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { decide, type Decision } from "../book/decide.ts";
import { evolve, type Outcome } from "../book/book-state.ts";
import { requestHash } from "../book/canonical.ts";
import type { LedgerCommand } from "../book/commands.ts";
import type { InvalidCommandCode } from "../book/decision.ts";
import type { Journal } from "../book/journal.ts";
import { deferWhileFrozen } from "./defer-commands.ts";
import { transitionFor, type ObligationTransition } from "../book/obligation-history.ts";
import { lockBooks, type LockBooks, lockOrCreateBooks } from "./store/lock-books.ts";
import type { CommandKey } from "./store/deferred-commands.ts";
import { appendJournals } from "./store/append-journals.ts";
import { AccountCache } from "./store/account-cache.ts";
import { insertObligationEvents, saveObligation } from "./store/obligations.ts";
import { insertOutcomes, type StoredOutcome } from "./store/command-outcomes.ts";
import { type BookCommand, loadBookState } from "./store/load-book-state.ts";
import { publishOutcome } from "./publish-outcomes.ts";
import { publishRemittanceEvent } from "./publish-remittance-events.ts";

export type CommandMessage = MessageOf<
  | typeof PlaceHold
  | typeof SettleHold
  | typeof ReleaseHold
  | typeof PostLateReturn
  | typeof PostToSuspense
  | typeof PostJournal
  | typeof ReverseJournal
>;

/**
 * A command that only its sender's mistake can explain: nothing is stored, its batch is bisected down to it, and it is
 * dead-lettered for a person.
 */
export class InvalidCommand extends Error {
  override readonly name = "InvalidCommand";
  /** Trying again changes nothing: it is dead-lettered at once. */
  readonly permanent = true;
  readonly code: InvalidCommandCode | "book_not_found";
  constructor(code: InvalidCommandCode | "book_not_found", reason: string) {
    super(reason);
    this.code = code;
  }
}

/** What a command of a batch has made of an obligation. */
type IndexedTransition = ObligationTransition & { readonly index: number };

/** The group-commit writer: what queued while the last batch committed becomes the next one. */
@Controller()
export class PostCommands {
  readonly #cache = new AccountCache();

  @Consumes(PlaceHold, SettleHold, ReleaseHold, PostLateReturn, PostToSuspense, PostJournal, ReverseJournal)
  async onCommands(messages: readonly CommandMessage[], unit: UnitOfWork): Promise<void> {
    await deferWhileFrozen(unit.sql, messages, keyOfCommand, (open) =>
      postCommands(unit, open, lockBooks, this.#cache),
    );
  }
}

/** Writes commands as they came from the stream, and tells their outcomes. Throws as `postJournals` does. */
export async function postCommands(
  unit: UnitOfWork,
  messages: readonly CommandMessage[],
  lock: LockBooks = lockBooks,
  cache = new AccountCache(),
): Promise<void> {
  const commands = messages.map((message) => ({ book: message.book, command: commandOf(message) }));
  const publishAll = (outcomes: readonly Outcome[], transitions: readonly IndexedTransition[]) => {
    outcomes.forEach((outcome, index) => {
      const { book, command } = commands[index] as BookCommand;
      publishOutcome(unit.outbox, book, command, outcome, messages[index] as CommandMessage);
    });
    for (const transition of transitions)
      publishRemittanceEvent(unit.outbox, transition, messages[transition.index] as CommandMessage);
  };
  try {
    await postJournals(unit.sql, commands, publishAll, lock, { cache, afterCommit: unit.afterCommit });
  } catch (error) {
    cache.clear();
    throw error;
  }
}

/** A command is the same when its id and its request are. */
function keyOfCommand(message: CommandMessage): CommandKey {
  const command = commandOf(message);
  return { commandId: command.commandId, requestHash: requestHash(message.book, command) };
}

export function isCommand(message: AnyMessage): message is CommandMessage {
  return message.type in kinds;
}

/**
 * Decides commands one after the other, each seeing the ones before, and appends what they come to in one insert per
 * table. Gives their outcomes in order. Lock order: heads by book, then balances (moved by trigger under the heads).
 * `onDecided` gets the outcomes, what became of obligations, and the journals, while Postgres writes: its work costs the next batch no
 * time. Throws InvalidCommand; whatever it throws, the caller's transaction must roll back. Only of `BooksFrozen`
 * nothing was written yet.
 */
export async function postJournals(
  sql: Sql,
  commands: readonly BookCommand[],
  onDecided: (
    outcomes: readonly Outcome[],
    transitions: readonly IndexedTransition[],
    journals: readonly Journal[],
  ) => void = () => undefined,
  lock: LockBooks = lockBooks,
  context: CachingContext = withoutCache,
): Promise<Outcome[]> {
  // The first command that names a book's owner makes the book; the others need one that stands.
  const heads = await lockOrCreateBooks(
    sql,
    commands.map(({ book, command }) => ("tenantId" in command ? { ...command, book } : { book })),
    lock,
  );
  const books = await loadBookState(sql, heads, commands, context.cache);
  const journals: Journal[] = [];
  const stored: StoredOutcome[] = [];
  const outcomes: Outcome[] = [];
  const transitions: IndexedTransition[] = [];
  for (const [index, { book: id, command }] of commands.entries()) {
    const book = books.get(id);
    if (book === undefined) throw new InvalidCommand("book_not_found", `${id} has no book`);
    const decision = possible(decide(book, command));
    outcomes.push(decision.outcome);
    if (decision.kind === "Repeat") continue;
    evolve(book, command.commandId, decision);
    if (decision.journal !== null) journals.push(decision.journal);
    const { requestHash, outcome } = decision;
    stored.push({ book: id, commandId: command.commandId, requestHash, outcome });
    const transition = transitionFor(book, command, outcome);
    if (transition === null) continue;
    book.obligations.set(transition.after.id, transition.after);
    transitions.push({ ...transition, index });
  }
  const written = Promise.all([
    appendJournals(sql, journals),
    insertOutcomes(sql, stored),
    saveTransitions(sql, transitions),
  ]);
  try {
    onDecided(outcomes, transitions, journals);
  } finally {
    await written.catch((error: unknown) => {
      throw isSecondOpening(error)
        ? new InvalidCommand("transaction_exists", "its transaction has begun")
        : error;
    });
  }
  context.afterCommit(() => context.cache.update(books.values(), heads));
  return outcomes;
}

/** What a writer that comes again knows from its last time, and where it says that this time has committed. */
interface CachingContext extends Pick<UnitOfWork, "afterCommit"> {
  readonly cache: AccountCache;
}
/** For those that come once. */
const withoutCache: CachingContext = { cache: new AccountCache(), afterCommit: () => undefined };

/** Behind the journals of the batch: Postgres compares each obligation with what its liability account says then. */
async function saveTransitions(sql: Sql, transitions: readonly IndexedTransition[]): Promise<void> {
  if (transitions.length === 0) return;
  const last = new Map(transitions.map(({ after }) => [after.id, after]));
  await Promise.all([
    ...[...last.values()].map((obligation) => saveObligation(sql, obligation)),
    insertObligationEvents(sql, transitions),
  ]);
}

/** What opens a transaction is not looked up before: the index on openings says whether one is there. */
function isSecondOpening(error: unknown): boolean {
  return (
    error instanceof Error &&
    "constraint" in error &&
    typeof error.constraint === "string" &&
    error.constraint.startsWith("journal_one_opening")
  );
}

function possible(decision: Decision): Exclude<Decision, { kind: "Impossible" }> {
  if (decision.kind === "Impossible") throw new InvalidCommand(decision.code, decision.reason);
  return decision;
}

const kinds = {
  [PlaceHold.type]: "Hold",
  [SettleHold.type]: "Settle",
  [ReleaseHold.type]: "Release",
  [PostLateReturn.type]: "LateReturn",
  [PostToSuspense.type]: "Suspense",
  [PostJournal.type]: "Post",
  [ReverseJournal.type]: "Reverse",
} as const satisfies Record<string, LedgerCommand["kind"]>;

function commandOf(message: CommandMessage): LedgerCommand {
  const kind = kinds[message.type];
  if (kind === undefined) throw new TypeError(`${message.type} is no command of the ledger`);
  // The consumer parsed `data` with the contract of this very type.
  return { kind, ...message.data } as LedgerCommand;
}
