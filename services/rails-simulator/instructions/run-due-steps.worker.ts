import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { instantClock, timeIn } from "../../../contracts/book-clock.ts";
import type { BookId } from "../../../contracts/ids/ids.ts";
import { readClocks } from "../../platform/clock/book-clocks.ts";
import { UnitOfWorkRunner, type UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { failedTicksOf } from "../../platform/observability/failed-ticks.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Database } from "../../platform/persistence/database.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { LOG } from "../../platform/platform.module.ts";
import { BatchByBook, type BookFilter, everyBook } from "../../platform/handlers/batch-by-book.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { dueSteps, nextDueAt, publishedEvents, type ScheduledStep } from "./domain/schedule.ts";
import { booksWithDueSteps, claimDue, hasDue } from "./store/due-instructions.ts";
import { type StoredInstruction, updateNextDue } from "./store/instructions.ts";
import { markPublished, readSteps } from "./store/steps.ts";
import { publishedNow, publishNew, type RailReport } from "./publish-rail-events.ts";

/** Longer would be visible in the time that an order takes; shorter makes batches of one. */
const intervalMs = 100;
const maxPerTick = 500;
const maxBooksPerTick = 200;

/** Publishes the steps that are due. Any number of instances may run: each skips rows that another has locked. */
@Injectable()
export class RunDueSteps extends PollingWorker {
  readonly #database: Database;
  readonly #batches: BatchByBook<StoredInstruction>;

  constructor(database: Database, units: UnitOfWorkRunner, metrics: Metrics, @Inject(LOG) log: Logger) {
    super("run-due-steps", intervalMs, () => this.tick(new Date()), log, failedTicksOf(metrics));
    this.#database = database;
    const work = {
      process: publishDue,
      booksDue: (sql: Sql, at: Date, filter: BookFilter) =>
        booksWithDueSteps(sql, at, maxBooksPerTick, filter),
    };
    this.#batches = new BatchByBook("run-due-steps", work, { units, database, metrics, log });
  }

  /** Publishes one batch of the steps that are due at `at`. Returns 0 if it was not full. */
  async tick(at: Date): Promise<number> {
    if (!(await hasDue(this.#database.sql, at))) return 0;
    const { length: published } = await this.#batches.run(at);
    // After a batch that was not full the worker pauses, so that the next batch is larger.
    return published < maxPerTick ? 0 : published;
  }
}

/**
 * Publishes the steps that are due when it is `at` in real time, in the order of their numbers. They happen at the time
 * of their book. Returns the instructions that had any.
 */
export async function publishDue(
  unit: UnitOfWork,
  at: Date,
  filter: BookFilter = everyBook,
): Promise<StoredInstruction[]> {
  const due = (await claimDue(unit.sql, at, maxPerTick, filter)).filter((row) => row.state === "AtRail");
  if (due.length === 0) return [];
  const [stepsByOrder, clocks] = await Promise.all([
    readSteps(
      unit.sql,
      due.map(({ instruction }) => instruction.orderId),
    ),
    readClocks(
      unit.sql,
      due.map(({ instruction }) => instruction.book),
    ),
  ]);
  const timeOf = (book: BookId) => timeIn(clocks.get(book) ?? instantClock, at);
  const reports: RailReport[] = [];
  const next: { orderId: RailReport["instruction"]["orderId"]; nextDueAt: Date | null }[] = [];
  for (const { instruction, cause } of due) {
    const steps = stepsByOrder.get(instruction.orderId) ?? [];
    const time = timeOf(instruction.book);
    const now = new Set(dueSteps(steps, time));
    const after = steps.map((step): ScheduledStep => (now.has(step) ? { ...step, publishedAt: time } : step));
    const events = [...now].map(({ number, event }) => ({ number, event, occurredAt: time }));
    reports.push({ instruction, before: publishedEvents(steps), now: events, cause });
    next.push({ orderId: instruction.orderId, nextDueAt: nextDueAt(after) });
  }
  unit.withCommit(markPublished(unit.sql, publishedNow(reports)));
  unit.withCommit(updateNextDue(unit.sql, next));
  publishNew(unit, reports);
  return due;
}
