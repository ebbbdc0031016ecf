import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { lastBankingDayEndedBy, endOfDate } from "../../../contracts/rails/banking-calendar.ts";
import { type BookId, uuidOf } from "../../../contracts/ids/ids.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { Database } from "../../platform/persistence/database.ts";
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
const missingFromHour = 10;

/**
 * At ten o'clock in New York, records a NotReconciled run for each book whose money moved on the last banking day and
 * whose statement has not arrived. When the statement arrives, it gets a run of its own.
 */
@Injectable()
export class FlagMissingStatements extends PollingWorker {
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;
  readonly #reconcile: StatementReconciler;
  #flaggedThrough = "";

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Database) database: Database,
    @Inject(StatementReconciler) reconcile: StatementReconciler,
    @Inject(LOG) log: Logger,
  ) {
    super("flag-missing-statements", intervalMs, () => this.tick(new Date()), log);
    this.#units = units;
    this.#database = database;
    this.#reconcile = reconcile;
  }

  /** Checks once a day. Returns the number of books without their statement. */
  async tick(at: Date): Promise<number> {
    const day = lastBankingDayEndedBy(at, missingFromHour);
    if (day <= this.#flaggedThrough) return 0;
    let missing = 0;
    for await (const books of this.#eachBooks()) {
      const without = await booksMissingStatement(this.#database.sql, books, day, endOfDate(day));
      for (const book of without) await this.#flagMissing(book, day);
      missing += without.length;
    }
    this.#flaggedThrough = day;
    return missing;
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

  #flagMissing(book: BookId, day: string): Promise<void> {
    return this.#units.run(async (unit: UnitOfWork) => {
      await lockReconciliation(unit.sql, book);
      // While this waited for the lock, the statement may have arrived, or another instance may have flagged it.
      const [still] = await booksMissingStatement(unit.sql, [book], day, endOfDate(day));
      if (still !== undefined) await this.#reconcile.recordMissingStatement(unit, book, day);
    });
  }
}
