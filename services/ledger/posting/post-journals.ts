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
import { apply, type Decision } from "../book/decide.ts";
import { advance, type Outcome } from "../book/book-state.ts";
import { requestHash } from "../book/canonical.ts";
import type { LedgerCommand } from "../book/commands.ts";
import type { Impossibility } from "../book/decision.ts";
import type { Journal } from "../book/journal.ts";
import { holdingFrozen } from "./defer-commands.ts";
import { moveOf, type ObligationMove } from "../book/obligation-history.ts";
import { lockBooks, type LockBooks, lockOrCreateBooks } from "./store/lock-books.ts";
import type { HeldKey } from "./store/deferred-commands.ts";
import { appendJournals } from "./store/append-journals.ts";
import { KnownAccounts } from "./store/account-cache.ts";
import { appendSteps, saveObligation } from "./store/obligations.ts";
import { insertOutcomes, type StoredOutcome } from "./store/command-outcomes.ts";
import { type BookCommand, readWorkingBooks } from "./store/load-book-state.ts";
import { tell } from "./publish-outcomes.ts";
import { tellRemittance } from "./publish-remittance-events.ts";

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
export class ImpossibleCommand extends Error {
  override readonly name = "ImpossibleCommand";
  /** Trying again changes nothing: it is dead-lettered at once. */
  readonly permanent = true;
  readonly code: Impossibility | "book_not_found";
  constructor(code: Impossibility | "book_not_found", reason: string) {
    super(reason);
    this.code = code;
  }
}

/** What a command of a batch has made of an obligation. */
type PlacedMove = ObligationMove & { readonly place: number };

/** The group-commit writer: what queued while the last batch committed becomes the next one. */
@Controller()
export class WriteJournals {
  readonly #known = new KnownAccounts();

  @Consumes(PlaceHold, SettleHold, ReleaseHold, PostLateReturn, PostToSuspense, PostJournal, ReverseJournal)
  async onCommands(messages: readonly CommandMessage[], unit: UnitOfWork): Promise<void> {
    await holdingFrozen(unit.sql, messages, keyOfCommand, (open) =>
      writeCommands(unit, open, lockBooks, this.#known),
    );
  }
}

/** Writes commands as they came from the stream, and tells their outcomes. Throws as `writeJournals` does. */
export async function writeCommands(
  unit: UnitOfWork,
  messages: readonly CommandMessage[],
  lock: LockBooks = lockBooks,
  known = new KnownAccounts(),
): Promise<void> {
  const commands = messages.map((message) => ({ book: message.book, command: commandOf(message) }));
  const tellAll = (outcomes: readonly Outcome[], moves: readonly PlacedMove[]) => {
    outcomes.forEach((outcome, place) => {
      const { book, command } = commands[place] as BookCommand;
      tell(unit.outbox, book, command, outcome, messages[place] as CommandMessage);
    });
    for (const move of moves) tellRemittance(unit.outbox, move, messages[move.place] as CommandMessage);
  };
  try {
    await writeJournals(unit.sql, commands, tellAll, lock, { known, afterCommit: unit.afterCommit });
  } catch (error) {
    known.forget();
    throw error;
  }
}

/** A command is the same when its id and its request are. */
function keyOfCommand(message: CommandMessage): HeldKey {
  const command = commandOf(message);
  return { commandId: command.commandId, requestHash: requestHash(message.book, command) };
}

export function isCommand(message: AnyMessage): message is CommandMessage {
  return message.type in kinds;
}

/**
 * Decides commands one after the other, each seeing the ones before, and appends what they come to in one insert per
 * table. Gives their outcomes in order. Lock order: heads by book, then balances (moved by trigger under the heads).
 * `meanwhile` gets the outcomes, what became of obligations, and the journals, while Postgres writes: its work costs the next batch no
 * time. Throws ImpossibleCommand; whatever it throws, the caller's transaction must roll back. Only of `BooksFrozen`
 * nothing was written yet.
 */
export async function writeJournals(
  sql: Sql,
  commands: readonly BookCommand[],
  meanwhile: (
    outcomes: readonly Outcome[],
    moves: readonly PlacedMove[],
    journals: readonly Journal[],
  ) => void = () => undefined,
  lock: LockBooks = lockBooks,
  memory: Memory = noMemory,
): Promise<Outcome[]> {
  // The first command that names a book's owner makes the book; the others need one that stands.
  const heads = await lockOrCreateBooks(
    sql,
    commands.map(({ book, command }) => ("tenantId" in command ? { ...command, book } : { book })),
    lock,
  );
  const books = await readWorkingBooks(sql, heads, commands, memory.known);
  const journals: Journal[] = [];
  const stored: StoredOutcome[] = [];
  const outcomes: Outcome[] = [];
  const moves: PlacedMove[] = [];
  for (const [place, { book: id, command }] of commands.entries()) {
    const book = books.get(id);
    if (book === undefined) throw new ImpossibleCommand("book_not_found", `${id} has no book`);
    const decision = possible(apply(book, command));
    outcomes.push(decision.outcome);
    if (decision.kind === "Repeat") continue;
    advance(book, command.commandId, decision);
    if (decision.journal !== null) journals.push(decision.journal);
    const { requestHash, outcome } = decision;
    stored.push({ book: id, commandId: command.commandId, requestHash, outcome });
    const move = moveOf(book, command, outcome);
    if (move === null) continue;
    book.obligations.set(move.after.id, move.after);
    moves.push({ ...move, place });
  }
  const written = Promise.all([
    appendJournals(sql, journals),
    insertOutcomes(sql, stored),
    writeMoves(sql, moves),
  ]);
  try {
    meanwhile(outcomes, moves, journals);
  } finally {
    await written.catch((error: unknown) => {
      throw isSecondOpening(error)
        ? new ImpossibleCommand("transaction_exists", "its transaction has begun")
        : error;
    });
  }
  memory.afterCommit(() => memory.known.keep(books.values(), heads));
  return outcomes;
}

/** What a writer that comes again knows from its last time, and where it says that this time has committed. */
interface Memory extends Pick<UnitOfWork, "afterCommit"> {
  readonly known: KnownAccounts;
}
/** For those that come once. */
const noMemory: Memory = { known: new KnownAccounts(), afterCommit: () => undefined };

/** Behind the journals of the batch: Postgres compares each obligation with what its liability account says then. */
async function writeMoves(sql: Sql, moves: readonly PlacedMove[]): Promise<void> {
  if (moves.length === 0) return;
  const last = new Map(moves.map(({ after }) => [after.id, after]));
  await Promise.all([
    ...[...last.values()].map((obligation) => saveObligation(sql, obligation)),
    appendSteps(sql, moves),
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
  if (decision.kind === "Impossible") throw new ImpossibleCommand(decision.code, decision.reason);
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
