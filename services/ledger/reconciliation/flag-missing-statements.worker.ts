import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { timeIn } from "../../../contracts/book-clock.ts";
import { lastBankingDayEndedBy, endOfDate } from "../../../contracts/rails/banking-calendar.ts";
import { type BookId, uuidOf } from "../../../contracts/ids/ids.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import { readAllClocks } from "../../platform/clock/book-clocks.ts";
import { FailingBooks } from "../../platform/failing-books.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { failedTicksOf } from "../../platform/observability/failed-ticks.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Database } from "../../platform/persistence/database.ts";
import { mayConcernOneBook } from "../../platform/persistence/infrastructure-fault.ts";
import { belowAllUuids } from "../../platform/persistence/page.ts";
import { LOG } from "../../platform/platform.module.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { StatementReconciler } from "./reconcile-statement.ts";
import { lockReconciliation } from "./store/bank-statements.ts";
import { booksAfter } from "../posting/store/lock-books.ts";
import { booksMissingStatement } from "./store/missing-statements.ts";

const intervalMs = 60_000;
const bookBatchSize = 500;
/** New York time. Statements arrive from six o'clock on. */
export const missingFromHour = 10;

/**
 * At ten o'clock in New York, records a NotReconciled run for each book whose money moved on the last banking day and
 * whose statement has not arrived. When the statement arrives, it gets a run of its own.
 */
@Injectable()
export class FlagMissingStatements extends PollingWorker {
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;
  readonly #reconcile: StatementReconciler;
  readonly #failing: FailingBooks;
  #flaggedThrough = "";
  /** The same for books with a clock of their own. */
  readonly #flaggedByBook = new Map<BookId, string>();

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Database) database: Database,
    @Inject(StatementReconciler) reconcile: StatementReconciler,
    @Inject(Metrics) metrics: Metrics,
    @Inject(LOG) log: Logger,
  ) {
    super("flag-missing-statements", intervalMs, () => this.tick(realTime()), log, failedTicksOf(metrics));
    this.#units = units;
    this.#database = database;
    this.#reconcile = reconcile;
    this.#failing = new FailingBooks("flag-missing-statements", { metrics, log });
  }

  /** Checks all books once a day, and then those that failed. Returns the number of books that it flagged. */
  async tick(at: Date): Promise<number> {
    const clocks = await readAllClocks(this.#database.sql);
    let flagged = 0;
    for (const [book, clock] of clocks) flagged += await this.#checkOnItsClock(book, timeIn(clock, at), at);
    const day = lastBankingDayEndedBy(at, missingFromHour);
    const inRealTime = (books: readonly BookId[]) => books.filter((book) => !clocks.has(book));
    if (day <= this.#flaggedThrough) {
      return flagged + (await this.#flagEach(inRealTime(this.#failing.due(at)), day, at));
    }
    for await (const books of this.#eachBooks()) {
      flagged += await this.#flagEach(await this.#missing(inRealTime(books), day), day, at);
    }
    this.#flaggedThrough = day;
    return flagged;
  }

  /** Checks a book once a day of its own clock, whose time is `time`. */
  async #checkOnItsClock(book: BookId, time: Date, at: Date): Promise<number> {
    const day = lastBankingDayEndedBy(time, missingFromHour);
    if (day <= (this.#flaggedByBook.get(book) ?? "")) return 0;
    const flagged = await this.#flagEach(await this.#missing([book], day), day, at);
    if (!this.#failing.isWaiting(book, at)) this.#flaggedByBook.set(book, day);
    return flagged;
  }

  /** Those of the books that miss their statement; if one of them can't be read, all: each is then checked alone. */
  async #missing(books: readonly BookId[], day: string): Promise<readonly BookId[]> {
    try {
      return await booksMissingStatement(this.#database.sql, books, day, endOfDate(day));
    } catch (error) {
      if (!mayConcernOneBook(error)) throw error;
      return books;
    }
  }

  async #flagEach(books: readonly BookId[], day: string, at: Date): Promise<number> {
    let flagged = 0;
    for (const book of books) {
      if (await this.#failing.attempt(book, at, () => this.#flagMissing(book, day))) flagged += 1;
    }
    return flagged;
  }

  async *#eachBooks(): AsyncGenerator<BookId[]> {
    let after = belowAllUuids;
    for (;;) {
      const books = await booksAfter(this.#database.sql, after, bookBatchSize);
      const last = books.at(-1);
      if (last === undefined) return;
      yield books;
      after = uuidOf(last);
    }
  }

  /** Returns false if it need not be flagged. */
  #flagMissing(book: BookId, day: string): Promise<boolean> {
    return this.#units.run(async (unit: UnitOfWork) => {
      await lockReconciliation(unit.sql, book);
      // While this waited for the lock, the statement may have arrived, or another instance may have flagged it.
      const [still] = await booksMissingStatement(unit.sql, [book], day, endOfDate(day));
      if (still === undefined) return false;
      await this.#reconcile.recordMissingStatement(unit, book, day);
      return true;
    });
  }
}
