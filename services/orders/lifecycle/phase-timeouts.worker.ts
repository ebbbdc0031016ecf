import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { LOG } from "../../platform/platform.module.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { type Transition, start, completeIfReturnWindowOver, evaluateGate } from "../order/transition.ts";
import { type TimeoutAction, phaseTimeouts, dueAfter } from "../order/phase-timeouts.ts";
import type { BookContext } from "../order/release-gate.ts";
import type { PaymentOrder } from "../order/payment-order.ts";
import { claimDueOrders } from "../store/payment-orders.ts";
import { BookContexts } from "./book-context.ts";
import { saveTransitions } from "./save-transitions.ts";

const intervalMs = 250;
const batchSize = 200;

/**
 * Reminds whoever an order waits for too long: the same command again, a question to the rail, the gate or the end
 * of the return window. Windows open and approvals expire here too.
 */
@Injectable()
export class PhaseTimeouts extends PollingWorker {
  readonly #units: UnitOfWorkRunner;
  readonly #contexts: BookContexts;
  readonly #log: Logger;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(BookContexts) contexts: BookContexts,
    @Inject(LOG) log: Logger,
  ) {
    super("chase-stuck-orders", intervalMs, () => this.processDue(new Date()), log);
    this.#units = units;
    this.#contexts = contexts;
    this.#log = log;
  }

  /** Chases what is due at `now`, and gives how many orders that were. */
  processDue(now: Date): Promise<number> {
    return this.#units.run(async (unit) => {
      const orders = await claimDueOrders(unit.sql, now, batchSize);
      if (orders.length > 0) await this.#chaseAll(unit, orders, now);
      return orders.length;
    });
  }

  async #chaseAll(unit: UnitOfWork, orders: readonly PaymentOrder[], now: Date): Promise<void> {
    const contextOf = await this.#contexts.of(
      unit.sql,
      orders.map((order) => order.book),
      now,
    );
    const advances = orders.map((order) => ({
      advance: this.#chaseOne(order, contextOf(order)),
      // The clock acts in the name of the request that made the order: its trace goes on.
      cause: order.progress.cause ?? undefined,
    }));
    await saveTransitions(unit, advances);
  }

  /** One order that can't go on, a tampered one above all, must not keep the others of its turn waiting. */
  #chaseOne(order: PaymentOrder, context: BookContext): Transition {
    const advance = start(order);
    const deadline = phaseTimeouts[order.phase];
    if (deadline === null) return advance;
    try {
      pursue(advance, deadline.action, context);
      return advance;
    } catch (error) {
      this.#log.error(
        { err: error, orderId: order.id, phase: order.phase },
        "an order can't go on; a person must look",
      );
      const untouched = start(order);
      waitAgain(untouched, context);
      return untouched;
    }
  }
}

function pursue(advance: Transition, chase: TimeoutAction, context: BookContext): void {
  const { phase } = advance.order;
  if ("resend" in chase) advance.commands.push(chase.resend);
  else if (chase.run === "EvaluateGate") evaluateGate(advance, context);
  else completeIfReturnWindowOver(advance, context);
  if (advance.order.phase === phase) waitAgain(advance, context);
}

function waitAgain(advance: Transition, context: BookContext): void {
  const { phase } = advance.order;
  const timeoutCount = advance.order.progress.timeoutCount + 1;
  advance.order = {
    ...advance.order,
    dueAt: dueAfter(phase, timeoutCount, context.now),
    progress: { ...advance.order.progress, timeoutCount },
  };
}
