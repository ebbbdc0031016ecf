import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from "@nestjs/common";
import type { Logger } from "pino";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { LOG } from "../../platform/platform.module.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { type Advance, begin, endReturnWindow, passGate } from "../order/transition.ts";
import { type Chase, deadlines, dueAfter } from "../order/phase-timeouts.ts";
import type { World } from "../order/release-gate.ts";
import type { PaymentOrder } from "../order/payment-order.ts";
import { claimDueOrders } from "../store/payment-orders.ts";
import { Worlds } from "./book-context.ts";
import { writeAdvances } from "./save-transitions.ts";

const everyMs = 250;
const ordersPerTurn = 200;

/**
 * Reminds whoever an order waits for too long: the same command again, a question to the rail, the gate or the end
 * of the return window. Windows open and approvals expire here too.
 */
@Injectable()
export class ChaseStuckOrders implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #units: UnitOfWorkRunner;
  readonly #worlds: Worlds;
  readonly #log: Logger;
  readonly #loop: PollingWorker;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Worlds) worlds: Worlds,
    @Inject(LOG) log: Logger,
  ) {
    this.#units = units;
    this.#worlds = worlds;
    this.#log = log;
    this.#loop = new PollingWorker("chase-stuck-orders", everyMs, () => this.chase(new Date()), log);
  }

  onApplicationBootstrap(): void {
    this.#loop.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.#loop.stop();
  }

  /** Chases what is due at `now`, and gives how many orders that were. */
  chase(now: Date): Promise<number> {
    return this.#units.run(async (unit) => {
      const orders = await claimDueOrders(unit.sql, now, ordersPerTurn);
      if (orders.length > 0) await this.#chaseAll(unit, orders, now);
      return orders.length;
    });
  }

  async #chaseAll(unit: UnitOfWork, orders: readonly PaymentOrder[], now: Date): Promise<void> {
    const worldOf = await this.#worlds.of(
      unit.sql,
      orders.map((order) => order.book),
      now,
    );
    const advances = orders.map((order) => ({
      advance: this.#chaseOne(order, worldOf(order)),
      // The clock acts in the name of the request that made the order: its trace goes on.
      cause: order.progress.cause ?? undefined,
    }));
    await writeAdvances(unit, advances);
  }

  /** One order that can't go on, a tampered one above all, must not keep the others of its turn waiting. */
  #chaseOne(order: PaymentOrder, world: World): Advance {
    const advance = begin(order);
    const deadline = deadlines[order.phase];
    if (deadline === null) return advance;
    try {
      pursue(advance, deadline.chase, world);
      return advance;
    } catch (error) {
      this.#log.error(
        { err: error, orderId: order.id, phase: order.phase },
        "an order can't go on; a person must look",
      );
      const untouched = begin(order);
      waitAgain(untouched, world);
      return untouched;
    }
  }
}

function pursue(advance: Advance, chase: Chase, world: World): void {
  const { phase } = advance.order;
  if ("resend" in chase) advance.commands.push(chase.resend);
  else if (chase.run === "TryGate") passGate(advance, world);
  else endReturnWindow(advance, world);
  if (advance.order.phase === phase) waitAgain(advance, world);
}

function waitAgain(advance: Advance, world: World): void {
  const { phase } = advance.order;
  const chases = advance.order.progress.chases + 1;
  advance.order = {
    ...advance.order,
    dueAt: dueAfter(phase, chases, world.now),
    progress: { ...advance.order.progress, chases },
  };
}
