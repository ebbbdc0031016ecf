import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { realTime } from "../../platform/clock/real-time.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { failedTicksOf } from "../../platform/observability/failed-ticks.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Database } from "../../platform/persistence/database.ts";
import type { BookId } from "../../../contracts/ids/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { LOG } from "../../platform/platform.module.ts";
import { BatchByBook, type BookFilter } from "../../platform/handlers/batch-by-book.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { addCommand } from "../lifecycle/compose-commands.ts";
import { lockOrders } from "../store/payment-orders.ts";
import {
  booksWithUnpostedMovements,
  claimUnpostedMovements,
  type MovementKey,
  type UnpostedMovement,
} from "../store/parked-events.ts";

const intervalMs = 60_000;
const batchSize = 200;
const maxBooksPerTick = 200;

/**
 * Resends `PostToSuspense` until the ledger has posted. No phase timeout does it: most of these orders are in a final
 * phase, and the timeouts of the others resend other commands. Each resend is the same command with the same id, so
 * the ledger books it once.
 */
@Injectable()
export class ResendSuspensePostings extends PollingWorker {
  readonly #batches: BatchByBook<UnpostedMovement>;
  /** Where the last page ended: of all books, and of each book that is tried alone. */
  readonly #after = new Map<BookId | "all", MovementKey>();

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Database) database: Database,
    @Inject(Metrics) metrics: Metrics,
    @Inject(LOG) log: Logger,
  ) {
    const name = "resend-suspense-postings";
    super(name, intervalMs, () => this.resendUnposted(realTime()), log, failedTicksOf(metrics));
    const work = {
      process: (unit: UnitOfWork, at: Date, filter: BookFilter) => this.#resendPage(unit, at, filter),
      booksDue: (sql: Sql, at: Date, filter: BookFilter) =>
        booksWithUnpostedMovements(sql, parkedBefore(at), maxBooksPerTick, filter),
    };
    this.#batches = new BatchByBook(name, work, { units, database, metrics, log });
  }

  /**
   * Resends the next page of what was parked more than a minute before `now` and is not posted. Returns 0 after the
   * last page: a movement that was just resent stays unposted for a moment, so the first page comes a minute later.
   */
  async resendUnposted(now: Date): Promise<number> {
    const resent = await this.#batches.run(now);
    return this.#after.has("all") ? resent.length : 0;
  }

  /** Each page starts where the last one ended, so that movements that are never posted delay no others. */
  async #resendPage(unit: UnitOfWork, now: Date, filter: BookFilter): Promise<UnpostedMovement[]> {
    const [alone] = filter.only ? filter.books : [];
    const pages = alone ?? "all";
    const page = { after: this.#after.get(pages), limit: batchSize };
    const unposted = await claimUnpostedMovements(unit.sql, parkedBefore(now), page, filter);
    const last = unposted.length < batchSize ? undefined : unposted.at(-1);
    // A page that was rolled back comes again.
    unit.afterCommit(() => {
      if (last === undefined) this.#after.delete(pages);
      else this.#after.set(pages, last);
    });
    for (const order of (await lockOrders(unit.sql, unposted)).values()) {
      addCommand(unit.outbox, "PostToSuspense", order, order.progress.cause ?? undefined);
    }
    return unposted;
  }
}

const parkedBefore = (now: Date) => new Date(now.getTime() - intervalMs);
