import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { realTime } from "../../platform/clock/real-time.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { failedTicksOf } from "../../platform/observability/failed-ticks.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Database } from "../../platform/persistence/database.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { LOG } from "../../platform/platform.module.ts";
import { BatchByBook, type BookFilter } from "../../platform/handlers/batch-by-book.ts";
import { atMostEvery } from "../../platform/runtime/at-most-every.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { type Transition, unchanged, completeIfDelayOver, evaluateGate } from "../order/transition.ts";
import { type TimeoutAction, phaseTimeouts, dueAfter } from "../order/phase-timeouts.ts";
import type { BookContext } from "../order/book-context.ts";
import type { PaymentOrder } from "../order/payment-order.ts";
import { oldestDeferredSeconds } from "../store/deferred-events.ts";
import { countUndecided } from "../store/parked-events.ts";
import { booksWithDueOrders, claimDueOrders } from "./store/due-orders.ts";
import { BookContexts } from "./book-context.ts";
import { EndedOrders } from "./ended-orders.ts";
import { saveTransitions } from "./save-transitions.ts";

const intervalMs = 500;
const batchSize = 200;
const maxBooksPerTick = 200;
const measureIntervalMs = 60_000;

/**
 * Acts on orders whose phase has lasted too long: it resends the command, asks the rail, evaluates the hand-off gate or
 * checks the completion delay. This is also how windows open and approvals expire.
 */
@Injectable()
export class PhaseTimeouts extends PollingWorker {
  readonly #batches: BatchByBook<PaymentOrder>;
  readonly #contexts: BookContexts;
  readonly #ended: EndedOrders;
  readonly #log: Logger;
  readonly #failed;
  readonly #measure;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Database) database: Database,
    @Inject(Metrics) metrics: Metrics,
    @Inject(BookContexts) contexts: BookContexts,
    @Inject(EndedOrders) ended: EndedOrders,
    @Inject(LOG) log: Logger,
  ) {
    super("phase-timeouts", intervalMs, () => this.processDue(realTime()), log, failedTicksOf(metrics));
    const work = {
      process: (unit: UnitOfWork, at: Date, filter: BookFilter) => this.#claimAndProcess(unit, at, filter),
      booksDue: (sql: Sql, at: Date, filter: BookFilter) =>
        booksWithDueOrders(sql, at, maxBooksPerTick, filter),
    };
    this.#batches = new BatchByBook("phase-timeouts", work, { units, database, metrics, log });
    this.#contexts = contexts;
    this.#ended = ended;
    this.#log = log;
    this.#failed = metrics.counter("orders_failed_timeouts_total", "Phase timeouts of an order that failed");
    const oldest = metrics.gauge("orders_oldest_deferred_event_seconds", "Age of the oldest deferred event");
    const undecided = metrics.gauge("orders_undecided_parked_events", "Parked events without a decision");
    this.#measure = atMostEvery(measureIntervalMs, async () => {
      oldest.set(await oldestDeferredSeconds(database.sql));
      undecided.set(await countUndecided(database.sql));
    });
  }

  /** Processes the orders that are due when it is `realNow`, and returns how many there were. */
  async processDue(realNow: Date): Promise<number> {
    const processed = await this.#batches.run(realNow);
    await this.#measure(realNow);
    return processed.length;
  }

  async #claimAndProcess(unit: UnitOfWork, realNow: Date, filter: BookFilter): Promise<PaymentOrder[]> {
    const orders = await claimDueOrders(unit.sql, realNow, batchSize, filter);
    if (orders.length > 0) await this.#process(unit, orders, realNow);
    return orders;
  }

  async #process(unit: UnitOfWork, orders: readonly PaymentOrder[], realNow: Date): Promise<void> {
    const books = orders.map((order) => order.book);
    const contextOf = await this.#contexts.of(unit.sql, books, realNow);
    const transitions = orders.map((order) => ({
      transition: this.#processOne(order, contextOf(order)),
      // The timeout continues the trace of the request that created the order.
      cause: order.progress.cause ?? undefined,
    }));
    saveTransitions(unit, transitions, this.#ended);
  }

  /** An order that can't go on, such as one that was tampered with, must not keep the rest of its batch waiting. */
  #processOne(order: PaymentOrder, context: BookContext): Transition {
    try {
      return onTimeout(order, context);
    } catch (error) {
      this.#failed.inc();
      this.#log.error(
        { err: error, orderId: order.id, phase: order.phase },
        "phase timeout failed; the order stays in its phase",
      );
      return unchanged(rescheduleTimeout(order, context));
    }
  }
}

function onTimeout(order: PaymentOrder, context: BookContext): Transition {
  const timeout = phaseTimeouts[order.phase];
  if (timeout === null) return unchanged(order);
  // What the action decides about the next time counts more.
  return runAction(rescheduleTimeout(order, context), timeout.action, context);
}

function runAction(order: PaymentOrder, action: TimeoutAction, context: BookContext): Transition {
  if ("resend" in action) return { ...unchanged(order), commands: [action.resend] };
  return action.run === "EvaluateGate" ? evaluateGate(order, context) : completeIfDelayOver(order, context);
}

function rescheduleTimeout(order: PaymentOrder, context: BookContext): PaymentOrder {
  const timeoutCount = order.progress.timers.timeoutCount + 1;
  return {
    ...order,
    ...dueAfter(order, timeoutCount, context),
    progress: { ...order.progress, timers: { ...order.progress.timers, timeoutCount } },
  };
}
