import type { Logger } from "pino";
import type { BookId } from "../../../contracts/ids/ids.ts";
import type { UnitOfWork, UnitOfWorkRunner } from "./unit-of-work.ts";
import type { Metrics } from "../observability/metrics.ts";
import { mayConcernOneBook } from "../persistence/infrastructure-fault.ts";
import type { Sql } from "../persistence/sql.ts";
import type { Database } from "../persistence/database.ts";

const firstBackOffMs = 5_000;
const longestBackOffMs = 60_000;
/** Lower than usual, because the other books wait while a book is tried alone. */
const lockTimeoutAlone = "500ms";

/** The books whose rows may be claimed: `books` alone, or all but them. In SQL: `(book_id = any ($1)) = $2`. */
export interface BookFilter {
  readonly books: readonly BookId[];
  readonly only: boolean;
}

export const everyBook: BookFilter = { books: [], only: false };

interface Work {
  /** Claims rows that are due at `at` within the filter, processes them, and returns their number. */
  readonly process: (unit: UnitOfWork, at: Date, filter: BookFilter) => Promise<number>;
  /** Some books within the filter that have rows due at `at`. Asked only after a batch has failed. */
  readonly booksDue: (sql: Sql, at: Date, filter: BookFilter) => Promise<readonly BookId[]>;
}

interface Parts {
  readonly units: UnitOfWorkRunner;
  readonly database: Database;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/**
 * Processes due rows of all books in one transaction. If that fails, each book gets a transaction of its own. A book
 * that fails alone is left out of the later batches, and is tried alone after 5 s, then after twice as long each time,
 * up to a minute. Once it succeeds, it is in the batches again. The list of these books is in memory: a row that can't
 * be updated can't be postponed either, and an instance that does not know the book finds out at its own next batch.
 */
export class BatchByBook {
  readonly #worker: string;
  readonly #work: Work;
  readonly #parts: Parts;
  readonly #failedTicks;
  readonly #failing = new Map<BookId, { readonly failures: number; readonly retryAt: Date }>();

  constructor(worker: string, work: Work, parts: Parts) {
    this.#worker = worker;
    this.#work = work;
    this.#parts = parts;
    this.#failedTicks = parts.metrics.counter("worker_failed_ticks_total", "Ticks that failed for a book", [
      "worker",
    ]);
  }

  /** Processes one batch, and the failing books whose retry is due. Throws only if the database is unavailable. */
  async run(at: Date): Promise<number> {
    let processed = await this.#runTogether(at);
    for (const [book, { retryAt }] of this.#failing) {
      if (retryAt <= at) processed += await this.#runAlone(book, at);
    }
    return processed;
  }

  async #runTogether(at: Date): Promise<number> {
    const { units, database, log } = this.#parts;
    const filter: BookFilter = { books: [...this.#failing.keys()], only: false };
    try {
      return await units.run((unit) => this.#work.process(unit, at, filter));
    } catch (error) {
      if (!mayConcernOneBook(error)) throw error;
      log.warn({ err: error, worker: this.#worker }, "a batch failed; each of its books is tried alone");
    }
    let processed = 0;
    for (const book of await this.#work.booksDue(database.sql, at, filter)) {
      processed += await this.#runAlone(book, at);
    }
    return processed;
  }

  async #runAlone(book: BookId, at: Date): Promise<number> {
    const { units, log } = this.#parts;
    const worker = this.#worker;
    try {
      const processed = await units.run(async (unit) => {
        await unit.sql("select set_config('lock_timeout', $1, true)", [lockTimeoutAlone]);
        return this.#work.process(unit, at, { books: [book], only: true });
      });
      if (this.#failing.delete(book)) log.warn({ book, worker }, "the book's rows are processed again");
      return processed;
    } catch (error) {
      if (!mayConcernOneBook(error)) throw error;
      this.#failedTicks.inc({ worker });
      log.error({ err: error, book, worker }, "a book's rows failed; they stay due, and other books go on");
      this.#backOff(book, at);
      return 0;
    }
  }

  #backOff(book: BookId, at: Date): void {
    const failures = this.#failing.get(book)?.failures ?? 0;
    const waitMs = Math.min(longestBackOffMs, firstBackOffMs * 2 ** failures);
    this.#failing.set(book, { failures: failures + 1, retryAt: new Date(at.getTime() + waitMs) });
  }
}
