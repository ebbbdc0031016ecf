import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { realTime } from "../../platform/clock/real-time.ts";
import { FailingBooks, notTried } from "../../platform/failing-books.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { failedTicksOf } from "../../platform/observability/failed-ticks.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Database } from "../../platform/persistence/database.ts";
import { LOG } from "../../platform/platform.module.ts";
import { limitToOneBook } from "../../platform/persistence/session-limits.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { continueRecheck, readRechecks } from "./store/rechecks.ts";

const intervalMs = 1_000;
const maxPerTick = 100;

/**
 * Goes through the orders of a book that a change concerns, a batch per transaction: after its policy or somebody's
 * right to approve has changed, its tenant is active again or it is unfrozen, and after its completion delay or its
 * clock has changed. Each decision about an order follows what is in force, whenever it is made: this worker only
 * brings it forward. An advance of the book's clock waits for it.
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

  /** Goes through one batch of each recheck that is due. Returns how many it has gone through. */
  async tick(at = realTime()): Promise<number> {
    const wanted = { limit: maxPerTick, except: this.#failing.waiting(at) };
    let continued = 0;
    for (const recheck of await readRechecks(this.#database.sql, wanted)) {
      // Another recheck of the book has just failed.
      if (this.#failing.isWaiting(recheck.book, at)) continue;
      const wentOn = await this.#failing.attempt(recheck.book, at, () =>
        this.#units.run(async ({ sql }) => {
          await limitToOneBook(sql);
          return (await continueRecheck(sql, recheck, at)) || notTried;
        }),
      );
      if (wentOn === true) continued += 1;
    }
    return continued;
  }
}
