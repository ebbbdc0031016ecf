import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Database } from "../../platform/persistence/database.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { LOG } from "../../platform/platform.module.ts";
import { BatchByBook, type BookFilter } from "../../platform/handlers/batch-by-book.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { addCommand } from "./compose-commands.ts";
import { lockOrders } from "../store/payment-orders.ts";
import { booksWithUnpostedMovements, claimOrdersWithUnpostedMovements } from "../store/deferred-events.ts";

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
  readonly #batches: BatchByBook;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Database) database: Database,
    @Inject(Metrics) metrics: Metrics,
    @Inject(LOG) log: Logger,
  ) {
    super("resend-suspense-postings", intervalMs, () => this.resendUnposted(new Date()), log);
    const work = {
      process: resend,
      booksDue: (sql: Sql, at: Date, filter: BookFilter) =>
        booksWithUnpostedMovements(sql, parkedBefore(at), maxBooksPerTick, filter),
    };
    this.#batches = new BatchByBook("resend-suspense-postings", work, { units, database, metrics, log });
  }

  /**
   * Resends what was parked more than a minute before `now` and is not posted. Always returns 0: a movement that was
   * just resent stays unposted for a moment, and a count above 0 would start the next tick at once.
   */
  async resendUnposted(now: Date): Promise<number> {
    await this.#batches.run(now);
    return 0;
  }
}

const parkedBefore = (now: Date) => new Date(now.getTime() - intervalMs);

async function resend(unit: UnitOfWork, now: Date, filter: BookFilter): Promise<number> {
  const unposted = await claimOrdersWithUnpostedMovements(unit.sql, parkedBefore(now), batchSize, filter);
  if (unposted.length === 0) return 0;
  for (const order of (await lockOrders(unit.sql, unposted)).values()) {
    addCommand(unit.outbox, "PostToSuspense", order, order.progress.cause ?? undefined);
  }
  return unposted.length;
}
