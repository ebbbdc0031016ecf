import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { idOf, newUuid } from "../../../contracts/ids/ids.ts";
import { BatchByBook, type BookFilter } from "../../platform/handlers/batch-by-book.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { failedTicksOf } from "../../platform/observability/failed-ticks.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Database } from "../../platform/persistence/database.ts";
import { LOG } from "../../platform/platform.module.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { ProcessClock } from "../process-clock.ts";
import { EventFanOut, toNewEvent } from "../events/event-fan-out.ts";
import { disabledEvent } from "./domain/disabled-event.ts";
import { booksWithDue, disableDue, type DisabledRow } from "./store/failing-endpoints.ts";

const name = "disable-failing";
const intervalMs = 60_000;
const maxPerTick = 100;

/**
 * Disables endpoints that have failed for their `disableAfterDays`, as a PATCH does, and tells the other endpoints of
 * the book. Both commit together, so a crash leaves neither, and an endpoint is disabled by one instance only.
 */
@Injectable()
export class DisableFailing extends PollingWorker {
  readonly #fanOut: EventFanOut;
  readonly #clock: ProcessClock;
  readonly #log: Logger;
  readonly #batches: BatchByBook<DisabledRow>;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Database) database: Database,
    @Inject(EventFanOut) fanOut: EventFanOut,
    @Inject(ProcessClock) clock: ProcessClock,
    @Inject(Metrics) metrics: Metrics,
    @Inject(LOG) log: Logger,
  ) {
    super(name, intervalMs, () => this.tick(), log, failedTicksOf(metrics));
    this.#fanOut = fanOut;
    this.#clock = clock;
    this.#log = log;
    const process = (unit: UnitOfWork, at: Date, filter: BookFilter) => this.#disable(unit, at, filter);
    const booksDue = (sql: UnitOfWork["sql"], at: Date, filter: BookFilter) =>
      booksWithDue(sql, at, filter, maxPerTick);
    this.#batches = new BatchByBook(name, { process, booksDue }, { units, database, metrics, log });
  }

  /** Returns how many endpoints it has disabled. */
  async tick(): Promise<number> {
    const disabled = await this.#batches.run(this.#clock.now());
    for (const { id, book_id: book, disable_after_days: days, failing_since: failingSince } of disabled) {
      const endpoint = { endpointId: idOf("we", id), book: idOf("book", book) };
      this.#log.info({ ...endpoint, days, failingSince }, "an endpoint that failed for days was disabled");
    }
    return disabled.length;
  }

  async #disable(unit: UnitOfWork, at: Date, filter: BookFilter): Promise<DisabledRow[]> {
    const disabled = await disableDue(unit.sql, at, filter, maxPerTick);
    const events = disabled.map((row) => toNewEvent(disabledEvent(toEndpoint(row)), newUuid(), row.book_id));
    await this.#fanOut.add(events, unit);
    return disabled;
  }
}

function toEndpoint(row: DisabledRow) {
  const { id, url, disable_after_days, failing_since, disabled_at } = row;
  return {
    id,
    url,
    disableAfterDays: disable_after_days,
    failingSince: failing_since,
    disabledAt: disabled_at,
  };
}
