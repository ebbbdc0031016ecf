import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { failedTicksOf } from "../../platform/observability/failed-ticks.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Database } from "../../platform/persistence/database.ts";
import { LOG } from "../../platform/platform.module.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { RailOutages } from "../instructions/rail-outages.ts";
import { readEndedOutages, readSilentRails } from "../rules/store/outages.ts";
import { endRule } from "../rules/store/rules.ts";

const intervalMs = 500;
const maxPerTick = 50;

/** Ends the outages whose `until` is over: what waited for the rail goes to it. */
@Injectable()
export class EndOutages extends PollingWorker {
  readonly #database: Database;
  readonly #units: UnitOfWorkRunner;
  readonly #outages: RailOutages;

  constructor(
    database: Database,
    units: UnitOfWorkRunner,
    outages: RailOutages,
    metrics: Metrics,
    @Inject(LOG) log: Logger,
  ) {
    super("end-outages", intervalMs, () => this.tick(new Date()), log, failedTicksOf(metrics));
    this.#database = database;
    this.#units = units;
    this.#outages = outages;
  }

  /** Ends the outages that are over when it is `at` in real time. Returns how many. */
  async tick(at: Date): Promise<number> {
    const ended = await readEndedOutages(this.#database.sql, at, maxPerTick);
    for (const { book, id } of ended) {
      await this.#units.run(async (unit) => {
        if (!(await endRule(unit.sql, book, id, null))) return;
        await this.#outages.end(unit, book, await readSilentRails(unit.sql, book), at);
      });
    }
    return ended.length;
  }
}
