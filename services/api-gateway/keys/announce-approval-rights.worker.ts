import type { Logger } from "pino";
import type { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import type { Database } from "../../platform/persistence/database.ts";
import { announceApprovalRight } from "./announce-approval-right.ts";
import { findUnannounced } from "./store/approval-rights.ts";
import { lockTenantKeys } from "./store/principals.ts";

const intervalMs = 3_600_000;
const batchSize = 100;

/**
 * Publishes the right to approve of principals of whom nothing was published although it ends or has ended: their keys
 * come from a version that published nothing.
 */
export class AnnounceApprovalRights extends PollingWorker {
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;

  constructor(database: Database, units: UnitOfWorkRunner, log: Logger) {
    super("announce-approval-rights", intervalMs, () => this.announceAll(), log);
    this.#database = database;
    this.#units = units;
  }

  /** Returns how many principals it published. */
  async announceAll(): Promise<number> {
    const unannounced = await findUnannounced(this.#database.sql, batchSize);
    for (const { tenant, mode, principal } of unannounced) {
      await this.#units.run(async (unit) => {
        await lockTenantKeys(unit.sql, tenant);
        await announceApprovalRight(unit, { tenant, mode, principal, scopes: ["orders:approve"] });
      });
    }
    return unannounced.length;
  }
}
