import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { idOf } from "../../../contracts/ids/ids.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import { failedTicksOf } from "../../platform/observability/failed-ticks.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Database } from "../../platform/persistence/database.ts";
import { belowAllUuids } from "../../platform/persistence/page.ts";
import { LOG } from "../../platform/platform.module.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { CONFIG, type WebhooksConfig } from "../config.ts";
import { agreedDays, booksWithEndpoints, findDifferences, recordCheck } from "./store/delivery-counts.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const booksPerRead = 500;
const maxCheckedDays = 7;

/**
 * Compares the counts of each finished day with the stored deliveries: once if they agree, and every hour while they
 * differ. Each book is compared in its own snapshot.
 */
@Injectable()
export class CheckDeliveryCounts extends PollingWorker {
  readonly #database: Database;
  readonly #log: Logger;
  readonly #checkedDays: number;
  readonly #differences;
  readonly #differencesByDay = new Map<string, number>();

  constructor(
    @Inject(Database) database: Database,
    @Inject(Metrics) metrics: Metrics,
    @Inject(LOG) log: Logger,
    @Inject(CONFIG)
    config: Pick<WebhooksConfig, "WEBHOOK_DELIVERED_KEPT_DAYS" | "WEBHOOK_DEAD_LETTERS_KEPT_DAYS">,
  ) {
    super("check-webhook-statement", hourMs, () => this.tick(realTime()), log, failedTicksOf(metrics));
    this.#database = database;
    this.#log = log;
    // Nothing of a day that is compared was deleted yet.
    const keptDays = Math.min(config.WEBHOOK_DELIVERED_KEPT_DAYS, config.WEBHOOK_DEAD_LETTERS_KEPT_DAYS);
    this.#checkedDays = Math.max(0, Math.min(maxCheckedDays, keptDays - 2));
    this.#differences = metrics.gauge(
      "webhook_statement_differences",
      "Endpoints and finished days whose counts are not those of their deliveries",
    );
  }

  /** Returns 0: the next tick is in an hour. */
  async tick(now: Date): Promise<number> {
    const { sql } = this.#database;
    // A day is compared an hour after its end: a transaction that began on it has ended.
    const days = Array.from({ length: this.#checkedDays }, (_, ago) =>
      new Date(now.getTime() - hourMs - (ago + 1) * dayMs).toISOString().slice(0, 10),
    );
    const agreed = await agreedDays(sql, days);
    for (const day of this.#differencesByDay.keys()) {
      if (agreed.has(day) || !days.includes(day)) this.#differencesByDay.delete(day);
    }
    for (const day of days.filter((each) => !agreed.has(each))) {
      const differences = await this.#compare(day);
      await recordCheck(sql, day, now, differences);
      this.#differencesByDay.set(day, differences);
    }
    this.#differences.set(
      [...this.#differencesByDay.values()].reduce((sum, differences) => sum + differences, 0),
    );
    return 0;
  }

  async #compare(day: string): Promise<number> {
    const { sql } = this.#database;
    let differences = 0;
    let books = await booksWithEndpoints(sql, belowAllUuids, booksPerRead);
    while (books.length > 0) {
      for (const book of books) {
        for (const { endpoint_id: endpoint, counted, stored } of await findDifferences(sql, book, day)) {
          differences += 1;
          this.#log.error(
            { day, book: idOf("book", book), endpointId: idOf("we", endpoint), counted, stored },
            "a day's counted deliveries are not those that are stored",
          );
        }
      }
      books = await booksWithEndpoints(sql, books.at(-1) ?? belowAllUuids, booksPerRead);
    }
    return differences;
  }
}
