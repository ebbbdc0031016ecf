import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { bankingDayOf, lastBankingDayEndedBy, endOfDate } from "../../../contracts/rails/banking-calendar.ts";
import type { BookId } from "../../../contracts/ids/ids.ts";
import { FailingBooks } from "../../platform/failing-books.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { failedTicksOf } from "../../platform/observability/failed-ticks.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Database } from "../../platform/persistence/database.ts";
import { LOG } from "../../platform/platform.module.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { issueStatement } from "./issue-statement.handler.ts";
import { readLastStatement, lockStatements } from "./store/bank-statements.ts";
import { booksWithMovements, unreportedMovements } from "./store/unreported-movements.ts";

const intervalMs = 60_000;
/** In New York. The files of the night have arrived by this hour. */
const issuedFromHour = 6;

/**
 * Issues each morning the statement of the last banking day for every book with movements that are on no statement.
 * Any number of instances may run: each locks a book's statements, and finds none left that another has issued.
 */
@Injectable()
export class IssueDueStatements extends PollingWorker {
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;
  readonly #failing: FailingBooks;
  #issuedThrough = "";

  constructor(
    @Inject(Database) database: Database,
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Metrics) metrics: Metrics,
    @Inject(LOG) log: Logger,
  ) {
    super("issue-due-statements", intervalMs, () => this.tick(new Date()), log, failedTicksOf(metrics));
    this.#units = units;
    this.#database = database;
    this.#failing = new FailingBooks("issue-due-statements", { metrics, log });
  }

  /** Issues the statements that are due at `at`: once a day for all books, and then for those that failed. */
  async tick(at: Date): Promise<number> {
    const day = lastBankingDayEndedBy(at, issuedFromHour);
    const isNewDay = day > this.#issuedThrough;
    const books = isNewDay ? await booksWithMovements(this.#database.sql) : this.#failing.due(at);
    for (const book of books) {
      await this.#failing.attempt(book, at, () => this.#units.run((unit) => issueThrough(unit, book, day)));
    }
    this.#issuedThrough = day;
    return 0;
  }
}

/** Issues one statement for each banking day up to `day` with movements. Returns how many. */
export async function issueThrough(unit: UnitOfWork, book: BookId, day: string): Promise<number> {
  await lockStatements(unit.sql, book);
  for (let issued = 0; ; issued += 1) {
    const previous = await readLastStatement(unit.sql, book);
    const previousEndsAt = previous === undefined ? null : new Date(previous.endsAt);
    const [first] = await unreportedMovements(unit.sql, book, { previousEndsAt, endsAt: endOfDate(day) });
    if (first === undefined) return issued;
    // A movement that arrived after the statement of its day is on the next statement.
    const movedAt = new Date(
      Math.max(new Date(first.line.occurredAt).getTime(), previousEndsAt?.getTime() ?? 0),
    );
    const date = bankingDayOf(movedAt);
    if (date > day) return issued;
    await issueStatement(unit, book, { date, endsAt: endOfDate(date) });
  }
}
