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
const booksAtOnce = 500;
/** In New York. Statements come from six o'clock on. */
const missedFromHour = 10;

/**
 * At ten in New York, books whose money moved on the last banking day and whose statement has not come get a run that
 * says so. It comes by itself when the statement does; this one stays.
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

  /** Looks once a day; gives how many books miss their statement. */
  async tick(at: Date): Promise<number> {
    const day = lastBankingDayEndedBy(at, missedFromHour);
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
      const books = await booksAfter(this.#database.sql, after, booksAtOnce);
      const last = books.at(-1);
      if (last === undefined) return;
      yield books;
      after = uuidOf(last);
    }
  }

  #flagMissing(book: BookId, day: string): Promise<void> {
    return this.#units.run(async (unit: UnitOfWork) => {
      await lockReconciliation(unit.sql, book);
      // The statement may have come, or another instance may have said it, while this one waited for the lock.
      const [still] = await booksMissingStatement(unit.sql, [book], day, endOfDate(day));
      if (still !== undefined) await this.#reconcile.recordMissingStatement(unit, book, day);
    });
  }
}
