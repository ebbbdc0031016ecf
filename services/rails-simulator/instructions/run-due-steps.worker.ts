import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { type BookId, uuidOf } from "../../../contracts/ids/ids.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import { UnitOfWorkRunner, type UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { failedTicksOf } from "../../platform/observability/failed-ticks.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Database } from "../../platform/persistence/database.ts";
import { belowAllUuids } from "../../platform/persistence/page.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { LOG } from "../../platform/platform.module.ts";
import { BatchByBook, type BookFilter, everyBook } from "../../platform/handlers/batch-by-book.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { readSimulatedBooks } from "../rules/store/simulated-books.ts";
import { dueSteps, nextDueAt, publishSteps } from "./domain/schedule.ts";
import { instantGapMs } from "./domain/timetable.ts";
import {
  booksWithDueSteps,
  claimDue,
  type DueClaim,
  type DueInstruction,
  readNextDue,
} from "./store/due-instructions.ts";
import { type NextDue, updateNextDue } from "./store/instructions.ts";
import { markPublished, readSteps } from "./store/steps.ts";
import { publishedNow, publishNew, type RailReport } from "./publish-rail-events.ts";
import { receiveSettled } from "./receive-own-payments.ts";

/**
 * The pause while a step is due soon, and so the most that a step is late. Longer would be visible in the time that an
 * order takes; shorter makes batches of one.
 */
const busyIntervalMs = 100;
/**
 * The pause while none is. The shortest delay of a step is 150 ms (`instantGapMs`), so one that is stored during this
 * pause is at most 100 ms late, too. A step that a changed clock or the end of an outage makes due may be 250 ms late.
 */
const idleIntervalMs = busyIntervalMs + instantGapMs;
const maxPerTick = 500;
/**
 * Of a book with a clock of its own, so that one in which thousands of payments are due delays no other for long (5,000
 * of one book alone: 0.45 → 0.8 s).
 */
const maxPerBook = 50;
const maxBooksPerTick = 200;

type DueAtRail = Extract<DueInstruction, { readonly state: "AtRail" }>;

/** Publishes the steps that are due. Any number of instances may run: each skips rows that another has locked. */
@Injectable()
export class RunDueSteps extends PollingWorker {
  readonly #database: Database;
  readonly #batches: BatchByBook<DueAtRail>;
  #afterBook = belowAllUuids;
  #pauseMs = idleIntervalMs;

  constructor(
    database: Database,
    units: UnitOfWorkRunner,
    cipher: SecretCipher,
    metrics: Metrics,
    @Inject(LOG) log: Logger,
  ) {
    super(
      "run-due-steps",
      () => this.#pauseMs,
      () => this.tick(realTime()),
      log,
      failedTicksOf(metrics),
    );
    this.#database = database;
    const work = {
      process: (unit: UnitOfWork, at: Date, filter: BookFilter) =>
        publishDue(unit, cipher, at, { filter, afterBook: filter.only ? belowAllUuids : this.#afterBook }),
      booksDue: (sql: Sql, at: Date, filter: BookFilter) =>
        booksWithDueSteps(sql, at, maxBooksPerTick, filter),
    };
    this.#batches = new BatchByBook("run-due-steps", work, { units, database, metrics, log });
  }

  /** The pause that follows the last tick. */
  get pauseMs(): number {
    return this.#pauseMs;
  }

  /** Publishes one batch of the steps that are due at `at`. Returns 0 if it left none that was due. */
  async tick(at: Date): Promise<number> {
    const next = await readNextDue(this.#database.sql, at);
    const isDueSoon = next !== null && next.getTime() - at.getTime() <= idleIntervalMs;
    this.#pauseMs = isDueSoon ? busyIntervalMs : idleIntervalMs;
    if (next === null || next > at) return 0;
    const from = this.#afterBook;
    const published = await this.#batches.run(at);
    const byBook = countsByBook(published.filter(({ onBookClock }) => onBookClock));
    const isLast = [...byBook.values()].reduce((sum, count) => sum + count, 0) < maxPerTick;
    // Each claim starts after the book where the last one ended, so that busy books don't starve the others.
    this.#afterBook = isLast
      ? belowAllUuids
      : ([...byBook.keys()].map(uuidOf).sort().at(-1) ?? belowAllUuids);
    const leavesMore =
      published.length >= maxPerTick ||
      from !== belowAllUuids ||
      [...byBook.values()].some((count) => count >= maxPerBook);
    // After a batch that was not full the worker pauses, so that the next batch is larger.
    return leavesMore ? published.length : 0;
  }
}

/**
 * Publishes the steps that are due when it is `at` in real time, in the order of their numbers. They happen at the time
 * of their book. Returns the instructions that had any.
 */
export async function publishDue(
  unit: UnitOfWork,
  cipher: SecretCipher,
  at: Date,
  { filter = everyBook, afterBook = belowAllUuids }: Partial<Pick<DueClaim, "filter" | "afterBook">> = {},
): Promise<DueAtRail[]> {
  const claim = { limit: maxPerTick, maxPerBook, afterBook, filter };
  const due = (await claimDue(unit.sql, at, claim)).filter((row) => row.state === "AtRail");
  if (due.length === 0) return [];
  const instructions = due.map(({ instruction }) => instruction);
  const orderIds = instructions.map(({ orderId }) => orderId);
  const [stepsByOrder, bookOf] = await Promise.all([
    readSteps(unit.sql, orderIds),
    readSimulatedBooks(unit.sql, instructions, at),
  ]);
  const reports: RailReport[] = [];
  const next: NextDue[] = [];
  for (const { instruction, cause } of due) {
    const scheduled = stepsByOrder.get(instruction.orderId) ?? [];
    const { time, hasOwnClock } = bookOf(instruction.book);
    const { steps, now } = publishSteps(scheduled, dueSteps(scheduled, time), time);
    reports.push({ instruction, steps, now, cause });
    next.push({ orderId: instruction.orderId, nextDueAt: nextDueAt(steps), hasOwnClock });
  }
  unit.withCommit(markPublished(unit.sql, publishedNow(reports)));
  unit.withCommit(updateNextDue(unit.sql, next));
  publishNew(unit, reports);
  await receiveSettled(unit, cipher, reports);
  return due;
}

function countsByBook(due: readonly DueAtRail[]): ReadonlyMap<BookId, number> {
  const counts = new Map<BookId, number>();
  for (const { instruction } of due) counts.set(instruction.book, (counts.get(instruction.book) ?? 0) + 1);
  return counts;
}
