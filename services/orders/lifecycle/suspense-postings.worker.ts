import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { LOG } from "../../platform/platform.module.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { addCommand } from "./compose-commands.ts";
import { lockOrders } from "../store/payment-orders.ts";
import { claimOrdersWithUnpostedMovements } from "../store/deferred-events.ts";

const intervalMs = 60_000;
const batchSize = 200;

/**
 * Resends `PostToSuspense` until the ledger has posted. No phase timeout does it: most of these orders are in a final
 * phase, and the timeouts of the others resend other commands. Each resend is the same command with the same id, so
 * the ledger books it once.
 */
@Injectable()
export class ResendSuspensePostings extends PollingWorker {
  readonly #units: UnitOfWorkRunner;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner, @Inject(LOG) log: Logger) {
    super("resend-suspense-postings", intervalMs, () => this.resendUnposted(new Date()), log);
    this.#units = units;
  }

  /**
   * Resends what was parked more than a minute before `now` and is not posted. Always returns 0: a movement that was
   * just resent stays unposted for a moment, and a count above 0 would start the next tick at once.
   */
  async resendUnposted(now: Date): Promise<number> {
    await this.#units.run(async (unit) => {
      const parkedBefore = new Date(now.getTime() - intervalMs);
      const unposted = await claimOrdersWithUnpostedMovements(unit.sql, parkedBefore, batchSize);
      if (unposted.length === 0) return;
      for (const order of (await lockOrders(unit.sql, unposted)).values()) {
        addCommand(unit.outbox, "PostToSuspense", order, order.progress.cause ?? undefined);
      }
    });
    return 0;
  }
}
