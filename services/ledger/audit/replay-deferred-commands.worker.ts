import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import type { BookId } from "../../../contracts/ids/ids.ts";
import type { AnyMessage } from "../../../contracts/message.ts";
import { BookUnfrozen } from "../../../contracts/messages/books.ts";
import { isPermanent } from "../../platform/consumer/permanent-error.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { Database } from "../../platform/persistence/database.ts";
import { isInfrastructureFault } from "../../platform/persistence/infrastructure-fault.ts";
import { LOG } from "../../platform/platform.module.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { isInbound, writeInbound } from "../inbound-payments/receive-inbound.consumer.ts";
import { freeze } from "./freeze-book.handler.ts";
import { lockHeads, type LockBooks } from "../posting/store/lock-books.ts";
import { appendFreezeEvent, booksNotOpen } from "./store/freeze-log.ts";
import {
  deleteDeferredCommands,
  type DeferredCommand,
  nextDeferredCommands,
  quarantineCommand,
} from "../posting/store/deferred-commands.ts";
import { VirtualAccountNumbers } from "../virtual-accounts/virtual-account-number.ts";
import { isCommandMessage, postCommands } from "../posting/post-commands.consumer.ts";

const intervalMs = 1_000;
const commandBatchSize = 200;

/**
 * Runs what waited for a book that was frozen and is being released: in the order in which it came, each command once,
 * and its outcome is told as ever. A batch and its leaving the queue are one commit, so a crash repeats nothing; what
 * comes meanwhile queues behind. The commit that finds nothing waiting opens the book.
 */
@Injectable()
export class ReplayDeferredCommands extends PollingWorker {
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;
  readonly #numbers: VirtualAccountNumbers;
  readonly #log: Logger;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Database) database: Database,
    @Inject(VirtualAccountNumbers) numbers: VirtualAccountNumbers,
    @Inject(LOG) log: Logger,
  ) {
    super("replay-deferred-commands", intervalMs, () => this.tick(), log);
    this.#units = units;
    this.#database = database;
    this.#numbers = numbers;
    this.#log = log;
  }

  /** One batch of each book that is being released; gives how many such books there were. */
  async tick(): Promise<number> {
    const books = await booksNotOpen(this.#database.sql);
    const releasing = books.filter(({ state }) => state === "Releasing");
    for (const { book } of releasing) await this.#release(book);
    return releasing.length;
  }

  async #release(book: BookId): Promise<void> {
    try {
      await this.#replayNext(book, commandBatchSize);
    } catch (error) {
      if (isInfrastructureFault(error)) throw error;
      // One by one: what can't be run must not hold up what can.
      await this.#replayAlone(book);
    }
  }

  #replayNext(book: BookId, count: number): Promise<void> {
    return this.#units.run(async (unit) => {
      if (!(await isReleasing(unit, book))) return;
      const held = await nextDeferredCommands(unit.sql, book, count);
      if (held.length === 0) return this.#open(unit, book);
      await runMessages(
        unit,
        held.map(({ message }) => message),
        this.#numbers,
      );
      await deleteDeferredCommands(unit.sql, book, held);
    });
  }

  async #open(unit: UnitOfWork, book: BookId): Promise<void> {
    const event = { state: "Open", reason: "all deferred commands were replayed", actor: "ledger" } as const;
    const number = await appendFreezeEvent(unit.sql, book, event);
    unit.outbox.add(BookUnfrozen, { book, subject: book, sequence: number, data: {} });
    unit.afterCommit(() => this.#log.warn({ book }, "the book is open again"));
  }

  async #replayAlone(book: BookId): Promise<void> {
    const [first] = await nextDeferredCommands(this.#database.sql, book, 1);
    if (first === undefined) return;
    try {
      await this.#replayNext(book, 1);
    } catch (error) {
      if (isInfrastructureFault(error)) throw error;
      await this.#quarantineOrFreeze(book, first, error);
    }
  }

  /** A sender's mistake waits for a person. Anything else says that the book is not sound after all. */
  async #quarantineOrFreeze(book: BookId, failed: DeferredCommand, error: unknown): Promise<void> {
    const failure = error instanceof Error ? error.message : String(error);
    await this.#units.run(async (unit) => {
      if (!(await isReleasing(unit, book))) return;
      const [first] = await nextDeferredCommands(unit.sql, book, 1);
      // Another instance has set it aside: what is first by now did not fail.
      if (first?.position !== failed.position) return;
      if (isPermanent(error)) await quarantineCommand(unit.sql, book, first, failure);
      else await freeze(unit, book, { reason: `a deferred command failed: ${failure}`, actor: "ledger" });
      this.#log.error(
        { err: error, book, messageId: first.message.id, type: first.message.type },
        isPermanent(error)
          ? "a deferred command can't be replayed; an operator must look: npm run books -- list"
          : "a deferred command failed; the book is frozen again",
      );
    });
  }
}

/** Takes the head's lock. */
async function isReleasing(unit: UnitOfWork, book: BookId): Promise<boolean> {
  const [head] = await lockHeads(unit.sql, [book]);
  return head?.state === "Releasing";
}

/** The head is held and the state was looked at. */
const lockReleasing: LockBooks = async (sql, books) => {
  const heads = await lockHeads(sql, books);
  return new Map(heads.map((head) => [head.book, head]));
};

/** Each kind of message by its own consumer's hand, in the order in which they came. */
async function runMessages(
  unit: UnitOfWork,
  messages: readonly AnyMessage[],
  numbers: VirtualAccountNumbers,
): Promise<void> {
  for (let from = 0; from < messages.length; ) {
    const inbound = messages.slice(from).map(isInbound);
    const length = inbound.indexOf(!inbound[0]);
    const stretch = messages.slice(from, length === -1 ? undefined : from + length);
    from += stretch.length;
    const commands = stretch.filter(isCommandMessage);
    const payments = stretch.filter(isInbound);
    if (commands.length + payments.length < stretch.length)
      throw new TypeError("no consumer replays this deferred message");
    if (commands.length > 0) await postCommands(unit, commands, lockReleasing);
    if (payments.length > 0) await writeInbound(unit, payments, numbers, lockReleasing);
  }
}
