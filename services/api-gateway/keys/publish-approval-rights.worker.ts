import type { Logger } from "pino";
import { type BookId, bookIdOf } from "../../../contracts/ids/ids.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import { FailingBooks } from "../../platform/failing-books.ts";
import type { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { failedTicksOf } from "../../platform/observability/failed-ticks.ts";
import type { Metrics } from "../../platform/observability/metrics.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import type { Database } from "../../platform/persistence/database.ts";
import { refreshApprovalRight } from "./refresh-approval-right.ts";
import type { TenantMode } from "./store/api-keys.ts";
import { findUnpublished } from "./store/approval-rights.ts";
import { lockTenantKeys } from "./store/principals.ts";

const intervalMs = 3_600_000;
const batchSize = 100;

type Unpublished = TenantMode & { readonly principal: string };

/**
 * Publishes the right to approve of principals of whom nothing was published although it ends or has ended: their keys
 * come from a version that published nothing.
 */
export class PublishApprovalRights extends PollingWorker {
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;
  readonly #failing: FailingBooks;
  /** The tenant and mode of each book that was tried. */
  readonly #bookOf = new Map<BookId, TenantMode>();

  constructor(database: Database, units: UnitOfWorkRunner, metrics: Metrics, log: Logger) {
    const name = "publish-approval-rights";
    super(name, intervalMs, () => this.publishAll(), log, failedTicksOf(metrics));
    this.#failing = new FailingBooks(name, { metrics, log });
    this.#database = database;
    this.#units = units;
  }

  /**
   * Publishes a batch of principals, and the next one at once if a book failed: it may have filled the batch alone.
   * Returns how many were published.
   */
  async publishAll(at = realTime()): Promise<number> {
    let published = 0;
    for (;;) {
      const except = this.#failing.waiting(at).flatMap((book) => this.#bookOf.get(book) ?? []);
      const unpublished = await findUnpublished(this.#database.sql, batchSize, except);
      for (const principal of unpublished) published += await this.#publish(principal, at);
      if (this.#failing.waiting(at).length === except.length) return published;
    }
  }

  async #publish({ tenant, mode, principal }: Unpublished, at: Date): Promise<number> {
    const book = bookIdOf(tenant, mode);
    this.#bookOf.set(book, { tenant, mode });
    // Another principal of it has just failed.
    if (this.#failing.isWaiting(book, at)) return 0;
    const published = await this.#failing.attempt(book, at, () =>
      this.#units.run(async (unit) => {
        await lockTenantKeys(unit.sql, tenant);
        await refreshApprovalRight(unit, { tenant, mode, principal, scopes: ["orders:approve"] });
        return 1;
      }),
    );
    return published ?? 0;
  }
}
