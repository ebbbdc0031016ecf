import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { realTime } from "../../platform/clock/real-time.ts";
import { FailingBooks } from "../../platform/failing-books.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { failedTicksOf } from "../../platform/observability/failed-ticks.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Database } from "../../platform/persistence/database.ts";
import { LOG } from "../../platform/platform.module.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { booksToRecheck, continueRecheck } from "../store/orders-that-wait.ts";

const intervalMs = 1_000;
const maxBooksPerTick = 100;

/**
 * Makes the waiting orders of a book due, a batch per transaction, after its policy or somebody's right to approve has
 * changed, its tenant is active again or it is unfrozen. The gate decides by what is in force in any case: this only
 * makes it decide soon.
 */
@Injectable()
export class RecheckWaiting extends PollingWorker {
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;
  readonly #failing: FailingBooks;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Database) database: Database,
    @Inject(Metrics) metrics: Metrics,
    @Inject(LOG) log: Logger,
  ) {
    super("recheck-waiting", intervalMs, () => this.tick(), log, failedTicksOf(metrics));
    this.#units = units;
    this.#database = database;
    this.#failing = new FailingBooks("recheck-waiting", { metrics, log });
  }

  /** Makes one batch of each book due. Returns the number of those books. */
  async tick(at = realTime()): Promise<number> {
    const books = await booksToRecheck(this.#database.sql, maxBooksPerTick);
    const now = books.filter((book) => !this.#failing.isWaiting(book, at));
    for (const book of now) {
      await this.#failing.attempt(book, at, () =>
        this.#units.run((unit) => continueRecheck(unit.sql, book, at)),
      );
    }
    return now.length;
  }
}
