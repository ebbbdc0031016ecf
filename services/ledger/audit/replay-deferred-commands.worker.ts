import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import type { BookId } from "../../../contracts/ids/ids.ts";
import { BookUnfrozen } from "../../../contracts/messages/books.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import { isPermanent } from "../../platform/consumer/permanent-error.ts";
import { FailingBooks } from "../../platform/failing-books.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { failedTicksOf } from "../../platform/observability/failed-ticks.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Database } from "../../platform/persistence/database.ts";
import { isInfrastructureFault } from "../../platform/persistence/infrastructure-fault.ts";
import { LOG } from "../../platform/platform.module.ts";
import { atMostEvery } from "../../platform/runtime/at-most-every.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { freeze } from "./freeze-book.handler.ts";
import { type CountRedirected, redirectedReturnsOf } from "../posting/redirected-returns.ts";
import { lockHeads, type LockBooks } from "../posting/store/lock-books.ts";
import { appendStateChange, booksNotOpen } from "./store/freeze-log.ts";
import {
  countQuarantined,
  deleteDeferredCommands,
  type DeferredCommand,
  failureOf,
  nextDeferredCommands,
  quarantineCommand,
} from "../posting/store/deferred-commands.ts";
import { VirtualAccountNumbers } from "../virtual-accounts/virtual-account-number.ts";
import { replayMessages } from "./replay-messages.ts";

const intervalMs = 1_000;
const commandBatchSize = 200;
const measureIntervalMs = 10_000;

/**
 * Replays the deferred commands of books that are being unfrozen: in order of arrival, each command once, with its
 * outcome published as usual. A batch is replayed and deleted in one commit, so a crash repeats nothing. Commands that
 * arrive in the meantime are deferred too. The commit that finds none left opens the book.
 */
@Injectable()
export class ReplayDeferredCommands extends PollingWorker {
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;
  readonly #numbers: VirtualAccountNumbers;
  readonly #log: Logger;
  readonly #failing: FailingBooks;
  readonly #redirected: CountRedirected;
  readonly #measure;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Database) database: Database,
    @Inject(VirtualAccountNumbers) numbers: VirtualAccountNumbers,
    @Inject(Metrics) metrics: Metrics,
    @Inject(LOG) log: Logger,
  ) {
    super("replay-deferred-commands", intervalMs, () => this.tick(), log, failedTicksOf(metrics));
    this.#units = units;
    this.#database = database;
    this.#numbers = numbers;
    this.#log = log;
    this.#failing = new FailingBooks("replay-deferred-commands", { metrics, log });
    this.#redirected = redirectedReturnsOf(metrics);
    const quarantined = metrics.gauge(
      "ledger_quarantined_commands",
      "Deferred commands that could not be replayed, and that a person must decide on",
    );
    this.#measure = atMostEvery(measureIntervalMs, async () => {
      quarantined.set(await countQuarantined(database.sql));
    });
  }

  /** Replays one batch of each book that is being unfrozen at `at`. Returns the number of those books. */
  async tick(at = realTime()): Promise<number> {
    const books = await booksNotOpen(this.#database.sql);
    const unfreezing = books.filter(
      ({ book, state }) => state === "Releasing" && !this.#failing.isWaiting(book, at),
    );
    for (const { book } of unfreezing) await this.#failing.attempt(book, at, () => this.#unfreeze(book));
    await this.#measure(at);
    return unfreezing.length;
  }

  async #unfreeze(book: BookId): Promise<void> {
    try {
      await this.#replayNext(book, commandBatchSize);
    } catch (error) {
      if (isInfrastructureFault(error)) throw error;
      // One by one: a command that can't be replayed must not block the others.
      await this.#replayAlone(book, error);
    }
  }

  #replayNext(book: BookId, count: number): Promise<void> {
    return this.#units.run(async (unit) => {
      if (!(await lockAndCheckReleasing(unit, book))) return;
      const deferred = await nextDeferredCommands(unit.sql, book, count);
      if (deferred.length === 0) return this.#open(unit, book);
      const messages = deferred.map(({ message }) => message);
      await replayMessages(unit, messages, {
        numbers: this.#numbers,
        lock: lockBeingUnfrozen,
        redirected: this.#redirected,
      });
      // Not awaited, like the journals: if these fail, their own error has to reach `#quarantineOrFreeze`.
      unit.withCommit(deleteDeferredCommands(unit.sql, book, deferred));
    });
  }

  async #open(unit: UnitOfWork, book: BookId): Promise<void> {
    const change = { state: "Open", reason: "all deferred commands were replayed", actor: "ledger" } as const;
    const number = await appendStateChange(unit.sql, book, change);
    unit.outbox.add(BookUnfrozen, { book, subject: book, sequence: number, data: {} });
    unit.afterCommit(() => this.#log.warn({ book }, "the book is open again"));
  }

  async #replayAlone(book: BookId, failure: unknown): Promise<void> {
    const [first] = await nextDeferredCommands(this.#database.sql, book, 1);
    // No command is at fault: the book could not be opened.
    if (first === undefined) throw failure;
    try {
      await this.#replayNext(book, 1);
    } catch (error) {
      if (isInfrastructureFault(error)) throw error;
      await this.#quarantineOrFreeze(book, first, error);
    }
  }

  /**
   * Quarantines a command that fails because of its sender, for an operator. Any other error means that the book is
   * still not sound, so it is frozen again.
   */
  async #quarantineOrFreeze(book: BookId, failed: DeferredCommand, error: unknown): Promise<void> {
    const failure = failureOf(error);
    await this.#units.run(async (unit) => {
      if (!(await lockAndCheckReleasing(unit, book))) return;
      const [first] = await nextDeferredCommands(unit.sql, book, 1);
      // Another instance has quarantined it: the command that is first now is another one.
      if (first?.position !== failed.position) return;
      if (isPermanent(error)) await quarantineCommand(unit.sql, book, first, failure);
      else
        await freeze(unit, book, { reason: `a deferred command failed: ${failure.text}`, actor: "ledger" });
      this.#log.error(
        { err: error, book, messageId: first.message.id, type: first.message.type },
        isPermanent(error)
          ? "a deferred command can't be replayed; an operator must look: npm run books -- list"
          : "a deferred command failed; the book is frozen again",
      );
    });
  }
}

/** Locks the head. True if the book is Releasing. */
async function lockAndCheckReleasing(unit: UnitOfWork, book: BookId): Promise<boolean> {
  const [head] = await lockHeads(unit.sql, [book]);
  return head?.state === "Releasing";
}

/** Accepts a book that is being unfrozen. The caller has locked its head and checked its state. */
const lockBeingUnfrozen: LockBooks = async (sql, books) => {
  const heads = await lockHeads(sql, books);
  return new Map(heads.map((head) => [head.book, head]));
};
