import type { Logger } from "pino";
import { bookIdOf } from "../../../contracts/ids/ids.ts";
import { FailingBooks } from "../../platform/failing-books.ts";
import type { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { failedTicksOf } from "../../platform/observability/failed-ticks.ts";
import type { Metrics } from "../../platform/observability/metrics.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import type { Database } from "../../platform/persistence/database.ts";
import { publishApprovalRight } from "./publish-approval-right.ts";
import { findUnpublished } from "./store/approval-rights.ts";
import { lockTenantKeys } from "./store/principals.ts";

const intervalMs = 3_600_000;
const batchSize = 100;

/**
 * Publishes the right to approve of principals of whom nothing was published although it ends or has ended: their keys
 * come from a version that published nothing.
 */
export class PublishApprovalRights extends PollingWorker {
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;
  readonly #failing: FailingBooks;

  constructor(database: Database, units: UnitOfWorkRunner, metrics: Metrics, log: Logger) {
    const name = "publish-approval-rights";
    super(name, intervalMs, () => this.publishAll(), log, failedTicksOf(metrics));
    this.#failing = new FailingBooks(name, { metrics, log });
    this.#database = database;
    this.#units = units;
  }

  /** Returns how many principals it published. */
  async publishAll(): Promise<number> {
    const unpublished = await findUnpublished(this.#database.sql, batchSize);
    let published = 0;
    for (const { tenant, mode, principal } of unpublished) {
      const publish = async () => {
        await this.#units.run(async (unit) => {
          await lockTenantKeys(unit.sql, tenant);
          await publishApprovalRight(unit, { tenant, mode, principal, scopes: ["orders:approve"] });
        });
        return 1;
      };
      published += (await this.#failing.attempt(bookIdOf(tenant, mode), new Date(), publish)) ?? 0;
    }
    return published;
  }
}
