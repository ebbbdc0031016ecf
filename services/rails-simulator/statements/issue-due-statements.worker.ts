import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { lastBankingDayEndedBy, endOfDate } from "../../../contracts/rails/banking-calendar.ts";
import { instantClock, timeIn } from "../../../contracts/book-clock.ts";
import type { BookId } from "../../../contracts/ids/ids.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import { readBooksWithClock, readClocks } from "../../platform/clock/book-clocks.ts";
import { FailingBooks } from "../../platform/failing-books.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { failedTicksOf } from "../../platform/observability/failed-ticks.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Database } from "../../platform/persistence/database.ts";
import { limitToOneBook } from "../../platform/persistence/session-limits.ts";
import { LOG } from "../../platform/platform.module.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { issueStatement } from "./issue-statement.handler.ts";
import { issuedFromHour, nextStatementDay, nextStatementDueAt } from "./next-statement.ts";
import { lockStatements } from "./store/bank-statements.ts";
import { booksWithMovements } from "./store/unreported-movements.ts";

const intervalMs = 60_000;

/**
 * Issues each morning the statement of the last banking day for every book with movements that are on no statement. In
 * a book with a clock of its own it is morning by that clock.
 *
 * Any number of instances may run: each locks a book's statements, and finds none left that another has issued.
 */
@Injectable()
export class IssueDueStatements extends PollingWorker {
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;
  readonly #failing: FailingBooks;
  readonly #moved = new Set<BookId>();
  #issuedThrough = "";
  #lookedAtClocksAt = 0;

  constructor(
    @Inject(Database) database: Database,
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Metrics) metrics: Metrics,
    @Inject(LOG) log: Logger,
  ) {
    super("issue-due-statements", intervalMs, () => this.tick(realTime()), log, failedTicksOf(metrics));
    this.#units = units;
    this.#database = database;
    this.#failing = new FailingBooks("issue-due-statements", { metrics, log });
  }

  /** An advance has moved the book's clock: a statement may be due. */
  clockMoved(book: BookId): void {
    this.#moved.add(book);
    this.wake();
  }

  /** Issues what is due at `at` in real time: once a day for all books, and then for those that failed. */
  async tick(at: Date): Promise<number> {
    const { sql } = this.#database;
    // Before the clocks are read, so that a clock that moves after that is looked at again.
    const moved = this.#takeMoved();
    const clocks = await readClocks(sql, await readBooksWithClock(sql));
    const day = lastBankingDayEndedBy(at, issuedFromHour);
    const inRealTime = day > this.#issuedThrough ? await booksWithMovements(sql) : this.#failing.due(at);
    for (const book of inRealTime) if (!clocks.has(book)) await this.#issue(book, at, day);
    this.#issuedThrough = day;
    for (const book of this.#isTimeForAll(at) ? clocks.keys() : moved) {
      const time = timeIn(clocks.get(book) ?? instantClock, at);
      const dueAt = this.#failing.isWaiting(book, at) ? null : await nextStatementDueAt(sql, book);
      if (dueAt === null || dueAt > time) continue;
      await this.#issue(book, at, lastBankingDayEndedBy(time, issuedFromHour), { hasOwnClock: true });
    }
    return 0;
  }

  #takeMoved(): readonly BookId[] {
    const moved = [...this.#moved];
    this.#moved.clear();
    return moved;
  }

  /** Once a minute the books with a clock are all looked at: time may pass in them. */
  #isTimeForAll(at: Date): boolean {
    if (at.getTime() - this.#lookedAtClocksAt < intervalMs) return false;
    this.#lookedAtClocksAt = at.getTime();
    return true;
  }

  async #issue(book: BookId, at: Date, day: string, options = { hasOwnClock: false }): Promise<void> {
    const issue = async (unit: UnitOfWork) => {
      await limitToOneBook(unit.sql);
      return issueThrough(unit, book, day, options);
    };
    await this.#failing.attempt(book, at, () => this.#units.run(issue));
  }
}

/** Issues one statement for each banking day up to `day` that has one (`nextStatementDay`). Returns how many. */
export async function issueThrough(
  unit: UnitOfWork,
  book: BookId,
  day: string,
  options: { readonly hasOwnClock: boolean } = { hasOwnClock: false },
): Promise<number> {
  await lockStatements(unit.sql, book);
  for (let issued = 0; ; issued += 1) {
    const date = await nextStatementDay(unit.sql, book, options);
    if (date === null || date > day) return issued;
    await issueStatement(unit, book, { date, endsAt: endOfDate(date) });
  }
}
