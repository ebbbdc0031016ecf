import type { Logger } from "pino";
import type { BookId } from "../../../contracts/ids/ids.ts";
import type { UnitOfWork, UnitOfWorkRunner } from "./unit-of-work.ts";
import type { Metrics } from "../observability/metrics.ts";
import { mayConcernOneBook } from "../persistence/infrastructure-fault.ts";
import { limitToOneBook } from "../persistence/session-limits.ts";
import type { Sql } from "../persistence/sql.ts";
import type { Database } from "../persistence/database.ts";
import { FailingBooks } from "../failing-books.ts";

/**
 * The books whose rows may be claimed: `books` alone, or all but them. In SQL: `(book_id = any ($1)) is not distinct
 * from $2`. With `=`, the planner would walk an index of the books instead of the one of what is due.
 */
export interface BookFilter {
  readonly books: readonly BookId[];
  readonly only: boolean;
}

export const everyBook: BookFilter = { books: [], only: false };

interface Work<Row> {
  /** Claims rows that are due at `at` within the filter, processes them, and returns them. */
  readonly process: (unit: UnitOfWork, at: Date, filter: BookFilter) => Promise<readonly Row[]>;
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
 * that fails alone is left out of the later batches, and is tried alone from time to time (`FailingBooks`). Once it
 * succeeds, it is in the batches again.
 */
export class BatchByBook<Row> {
  readonly #worker: string;
  readonly #work: Work<Row>;
  readonly #parts: Parts;
  readonly #failing: FailingBooks;

  constructor(worker: string, work: Work<Row>, parts: Parts) {
    this.#worker = worker;
    this.#work = work;
    this.#parts = parts;
    this.#failing = new FailingBooks(worker, parts);
  }

  /**
   * Processes one batch, and the failing books whose retry is due. Returns the rows that are committed. Throws only if
   * the database is unavailable.
   */
  async run(at: Date): Promise<readonly Row[]> {
    const processed = [...(await this.#runTogether(at))];
    for (const book of this.#failing.due(at)) processed.push(...(await this.#runAlone(book, at)));
    return processed;
  }

  async #runTogether(at: Date): Promise<readonly Row[]> {
    const { units, database, log } = this.#parts;
    const filter: BookFilter = { books: this.#failing.all, only: false };
    try {
      return await units.run((unit) => this.#work.process(unit, at, filter));
    } catch (error) {
      if (!mayConcernOneBook(error)) throw error;
      log.warn({ err: error, worker: this.#worker }, "a batch failed; each of its books is tried alone");
    }
    const processed: Row[] = [];
    for (const book of await this.#work.booksDue(database.sql, at, filter)) {
      processed.push(...(await this.#runAlone(book, at)));
    }
    return processed;
  }

  async #runAlone(book: BookId, at: Date): Promise<readonly Row[]> {
    const processed = await this.#failing.attempt(book, at, () =>
      this.#parts.units.run(async (unit) => {
        await limitToOneBook(unit.sql);
        return this.#work.process(unit, at, { books: [book], only: true });
      }),
    );
    return processed ?? [];
  }
}
