import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { LOG } from "../../platform/platform.module.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { addCommand } from "./compose-commands.ts";
import { lockOrders } from "../store/payment-orders.ts";
import { claimUnpostedMovements } from "../store/deferred-events.ts";

const intervalMs = 60_000;
const batchSize = 200;

/**
 * Sends `PostToSuspense` again until the ledger says that it has posted: the order is over, so no deadline of its
 * phases stands behind this command. The same command id each time, so the ledger books it once.
 */
@Injectable()
export class ResendSuspensePostings extends PollingWorker {
  readonly #units: UnitOfWorkRunner;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner, @Inject(LOG) log: Logger) {
    super("remind-of-strays", intervalMs, () => this.resendUnposted(new Date()), log);
    this.#units = units;
  }

  /**
   * Reminds the ledger of what it was told of before `now` less a minute and has not said to be posted. Always 0: what
   * was sent stays unposted for a moment, and must not bring the next turn at once.
   */
  async resendUnposted(now: Date): Promise<number> {
    await this.#units.run(async (unit) => {
      const told = new Date(now.getTime() - intervalMs);
      const unposted = await claimUnpostedMovements(unit.sql, told, batchSize);
      if (unposted.length === 0) return;
      for (const order of (await lockOrders(unit.sql, unposted)).values()) {
        addCommand(unit.outbox, "PostToSuspense", order, order.progress.cause ?? undefined);
      }
    });
    return 0;
  }
}
