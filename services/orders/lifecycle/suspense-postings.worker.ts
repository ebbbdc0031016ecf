import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from "@nestjs/common";
import type { Logger } from "pino";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { LOG } from "../../platform/platform.module.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { sendCommand } from "./compose-commands.ts";
import { lockOrders } from "../store/payment-orders.ts";
import { claimUnpostedStrays } from "../store/deferred-events.ts";

const everyMs = 60_000;
const ordersPerTurn = 200;

/**
 * Sends `PostToSuspense` again until the ledger says that it has posted: the order is over, so no deadline of its
 * phases stands behind this command. The same command id each time, so the ledger books it once.
 */
@Injectable()
export class RemindOfStrays implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #units: UnitOfWorkRunner;
  readonly #loop: PollingWorker;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner, @Inject(LOG) log: Logger) {
    this.#units = units;
    this.#loop = new PollingWorker("remind-of-strays", everyMs, () => this.remind(new Date()), log);
  }

  onApplicationBootstrap(): void {
    this.#loop.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.#loop.stop();
  }

  /**
   * Reminds the ledger of what it was told of before `now` less a minute and has not said to be posted. Always 0: what
   * was sent stays unposted for a moment, and must not bring the next turn at once.
   */
  async remind(now: Date): Promise<number> {
    await this.#units.run(async (unit) => {
      const told = new Date(now.getTime() - everyMs);
      const unposted = await claimUnpostedStrays(unit.sql, told, ordersPerTurn);
      if (unposted.length === 0) return;
      for (const order of (await lockOrders(unit.sql, unposted)).values()) {
        sendCommand(unit.outbox, "PostToSuspense", order, order.progress.cause ?? undefined);
      }
    });
    return 0;
  }
}
