import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { realTime } from "../../platform/clock/real-time.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { failedTicksOf } from "../../platform/observability/failed-ticks.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Database } from "../../platform/persistence/database.ts";
import { belowAllUuids } from "../../platform/persistence/page.ts";
import { LOG } from "../../platform/platform.module.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { CONFIG, type WebhooksConfig } from "../config.ts";
import {
  deleteExpiredDeliveries,
  deleteExpiredEvents,
  type ExpiredPage,
  nextBookWithEvents,
} from "./store/expired-rows.ts";

const intervalMs = 3_600_000;
const dayMs = 86_400_000;
export const rowsPerPage = 1_000;

type Kept = Pick<
  WebhooksConfig,
  "WEBHOOK_DELIVERED_KEPT_DAYS" | "WEBHOOK_EVENTS_KEPT_DAYS" | "WEBHOOK_DEAD_LETTERS_KEPT_DAYS"
>;

/**
 * Once an hour, deletes deliveries and events whose time is over, page by page, each page in a transaction of its own.
 * An event stays, with the bytes that were sent, while one of its deliveries does: so a dead letter can be retried for
 * all of its time. Every instance runs it; the second one finds nothing to delete.
 */
@Injectable()
export class DeleteExpired extends PollingWorker {
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;
  readonly #kept: Kept;
  readonly #deletedCounter;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Database) database: Database,
    @Inject(CONFIG) config: Kept,
    @Inject(Metrics) metrics: Metrics,
    @Inject(LOG) log: Logger,
  ) {
    super(
      "delete-expired",
      intervalMs,
      (signal) => this.tick(realTime(), signal),
      log,
      failedTicksOf(metrics),
    );
    this.#units = units;
    this.#database = database;
    this.#kept = config;
    this.#deletedCounter = metrics.counter(
      "webhook_expired_rows_total",
      "Deliveries and events that were deleted when their time was over",
      ["table"],
    );
  }

  /** Deletes all that is over at `now`, or until the signal aborts. Returns 0: the next tick is in an hour. */
  async tick(now: Date, signal?: AbortSignal): Promise<number> {
    const before = (days: number) => new Date(now.getTime() - days * dayMs);
    const bounds = {
      ended: before(this.#kept.WEBHOOK_DELIVERED_KEPT_DAYS),
      deadLettered: before(this.#kept.WEBHOOK_DEAD_LETTERS_KEPT_DAYS),
    };
    const { sql } = this.#database;
    await this.#walk("delivery", signal, (after) => deleteExpiredDeliveries(sql, bounds, after, rowsPerPage));
    const eventsBefore = before(this.#kept.WEBHOOK_EVENTS_KEPT_DAYS);
    let book = await nextBookWithEvents(sql, belowAllUuids);
    while (book !== undefined && signal?.aborted !== true) {
      const current = book;
      await this.#walk("event", signal, (after) =>
        this.#units.run((unit) => deleteExpiredEvents(unit.sql, current, eventsBefore, after, rowsPerPage)),
      );
      book = await nextBookWithEvents(sql, book);
    }
    return 0;
  }

  async #walk(
    table: "delivery" | "event",
    signal: AbortSignal | undefined,
    next: (after: string) => Promise<ExpiredPage>,
  ): Promise<void> {
    let after: string | null = belowAllUuids;
    while (after !== null && signal?.aborted !== true) {
      const { last, deleted }: ExpiredPage = await next(after);
      if (deleted > 0) this.#deletedCounter.inc({ table }, deleted);
      after = last;
    }
  }
}
