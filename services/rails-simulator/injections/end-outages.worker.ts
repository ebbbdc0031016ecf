import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { realTime } from "../../platform/clock/real-time.ts";
import { FailingBooks } from "../../platform/failing-books.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { failedTicksOf } from "../../platform/observability/failed-ticks.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Database } from "../../platform/persistence/database.ts";
import { limitToOneBook } from "../../platform/persistence/session-limits.ts";
import { LOG } from "../../platform/platform.module.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { RecheckPayments } from "../rechecks/recheck-payments.worker.ts";
import { type EndedOutage, readEndedOutages } from "../rules/store/outages.ts";
import { endRule } from "../rules/store/rules.ts";
import { lockAgainstHandOffs } from "../rules/store/simulated-books.ts";
import { insertLogEntries } from "../simulation-log/store/simulation-log.ts";

const intervalMs = 500;
const maxPerTick = 50;

/** Ends the outages whose `until` is over: what waited for the rail goes to it. */
@Injectable()
export class EndOutages extends PollingWorker {
  readonly #database: Database;
  readonly #units: UnitOfWorkRunner;
  readonly #rechecks: RecheckPayments;
  readonly #failing: FailingBooks;

  constructor(
    database: Database,
    units: UnitOfWorkRunner,
    rechecks: RecheckPayments,
    metrics: Metrics,
    @Inject(LOG) log: Logger,
  ) {
    super("end-outages", intervalMs, () => this.tick(realTime()), log, failedTicksOf(metrics));
    this.#database = database;
    this.#units = units;
    this.#rechecks = rechecks;
    this.#failing = new FailingBooks("end-outages", { metrics, log });
  }

  /** Ends the outages that are over when it is `at` in real time. Returns how many there were. */
  async tick(at: Date): Promise<number> {
    const { sql } = this.#database;
    const ended = await readEndedOutages(sql, at, { limit: maxPerTick, except: this.#failing.waiting(at) });
    for (const outage of ended) {
      if (this.#failing.isWaiting(outage.book, at)) continue;
      await this.#failing.attempt(outage.book, at, () =>
        this.#units.run((unit) => this.#end(unit, outage, at)),
      );
    }
    return ended.length;
  }

  async #end(unit: UnitOfWork, { book, id, until }: EndedOutage, at: Date): Promise<void> {
    await limitToOneBook(unit.sql);
    await lockAgainstHandOffs(unit.sql, book);
    if (!(await endRule(unit.sql, book, id, null))) return;
    const details = { fault: "Outage", code: null };
    await insertLogEntries(unit.sql, [
      { book, kind: "InjectionEnded", actor: null, bookTime: until, injectionId: id, details },
    ]);
    await this.#rechecks.begin(unit, { book, kind: "OutageEnd" }, at);
  }
}
