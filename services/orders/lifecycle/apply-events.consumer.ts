import { Controller, Inject } from "@nestjs/common";
import type { Logger } from "pino";
import type { LedgerTransactionId, PaymentOrderId } from "../../../contracts/ids/ids.ts";
import type { AnyMessage } from "../../../contracts/message.ts";
import { Consumes } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { LOG } from "../../platform/platform.module.ts";
import { pipeline } from "../../platform/persistence/pipeline.ts";
import { type Transition, start, applyEvent, type Reception } from "../order/transition.ts";
import type { BookContext } from "../order/release-gate.ts";
import { toTrigger, type OrderEvent, orderEvents } from "./event-to-trigger.ts";
import { lockOrders } from "../store/payment-orders.ts";
import {
  deleteDeferred,
  saveDeferred,
  insertParked,
  type ParkedEvent,
  readDeferred,
} from "../store/deferred-events.ts";
import { BookContexts } from "./book-context.ts";
import { type Caused, saveTransitions } from "./save-transitions.ts";

/** What a batch leaves beside changed orders. */
interface Remains {
  readonly early: AnyMessage[];
  readonly applied: AnyMessage[];
  readonly parked: ParkedEvent[];
}

/** Takes what the ledger and the rails tell of orders, and moves each along the lifecycle. */
@Controller()
export class ApplyEvents {
  readonly #contexts: BookContexts;
  readonly #log: Logger;
  readonly #parked;
  readonly #strays;

  constructor(
    @Inject(BookContexts) contexts: BookContexts,
    @Inject(LOG) log: Logger,
    @Inject(Metrics) metrics: Metrics,
  ) {
    this.#contexts = contexts;
    this.#log = log;
    this.#parked = metrics.counter("orders_parked_events_total", "Events that a person must decide on");
    this.#strays = metrics.counter(
      "orders_stray_movements_total",
      "Money that moved after its order was over",
    );
  }

  /**
   * Orders are locked in id order, then events are applied in stream order. An event for a later phase waits with its
   * order; one that fits no phase is parked for a person, because guessing would move money.
   */
  @Consumes(...orderEvents)
  async advance(events: readonly OrderEvent[], unit: UnitOfWork): Promise<void> {
    const keys = events.map((event) => ({ book: event.book, id: event.data.orderId }));
    // The locks come first, so that the rest is read under them.
    const [orders, contextOf, early] = await pipeline(
      unit.sql,
      (sql) => lockOrders(sql, keys),
      (sql) =>
        this.#contexts.of(
          sql,
          events.map((event) => event.book),
        ),
      (sql) => readDeferred(sql, keys),
    );
    const waiting = Map.groupBy(early as OrderEvent[], (event) => event.data.orderId);
    const advances = new Map<PaymentOrderId, Caused>();
    const remains: Remains = { early: [], applied: [], parked: [] };
    for (const event of events) {
      const order = orders.get(event.data.orderId);
      if (order === undefined) {
        this.#park(remains, event, "there is no such order in this book");
        continue;
      }
      const known = advances.get(order.id) ?? { advance: start(order) };
      advances.set(order.id, { ...known, cause: event });
      const context = contextOf(order);
      if (this.#take(known.advance, event, context, remains) === "Applied") {
        this.#takeWaiting(known.advance, waiting, context, remains);
      }
    }
    const moved = [...advances.values()].filter(
      ({ advance }) => advance.order !== orders.get(advance.order.id),
    );
    await saveTransitions(unit, moved);
    await saveDeferred(unit.sql, remains.early);
    await deleteDeferred(unit.sql, remains.applied);
    await insertParked(unit.sql, remains.parked);
  }

  #take(advance: Transition, event: OrderEvent, context: BookContext, remains: Remains): Reception {
    const phase = advance.order.phase;
    const reception = applyEvent(advance, toTrigger(event), context);
    if (reception === "OutOfOrder") remains.early.push(event);
    if (reception === "Parked") {
      this.#park(remains, event, `${event.type} fits nothing that can still come after ${phase}`);
    }
    if (reception === "UnexpectedMovement") this.#parkStray(remains, event, advance);
    return reception;
  }

  /** Money may have moved that no order knows of: somebody is called, by the log and by the metric. */
  #park(
    remains: Remains,
    event: OrderEvent,
    reason: string,
    ledgerTransactionId?: LedgerTransactionId,
  ): void {
    remains.parked.push({ event, reason, ledgerTransactionId });
    this.#parked.inc();
    this.#log.error(
      { eventId: event.id, type: event.type, orderId: event.data.orderId, reason, ledgerTransactionId },
      "an event was parked",
    );
  }

  /** Money has moved that no account of the tenant's stands for: Suspense has it, and somebody is called. */
  #parkStray(remains: Remains, event: OrderEvent, { order }: Transition): void {
    this.#strays.inc();
    const stray = order.progress.unexpectedMovements?.at(-1);
    const reason = `${event.type} moved money of an order that is over: it is in Suspense`;
    this.#park(remains, event, reason, stray?.ledgerTransactionId);
  }

  /** A phase may be what an early event has waited for; taking it may bring the phase of the next one. */
  #takeWaiting(
    advance: Transition,
    waiting: Map<PaymentOrderId, OrderEvent[]>,
    context: BookContext,
    remains: Remains,
  ): void {
    const inBatch = remains.early.filter((event) => event.subject === advance.order.id) as OrderEvent[];
    const candidates = [...(waiting.get(advance.order.id) ?? []), ...inBatch];
    for (const event of candidates) {
      const reception = applyEvent(advance, toTrigger(event), context);
      if (reception === "OutOfOrder") continue;
      waiting.set(
        advance.order.id,
        (waiting.get(advance.order.id) ?? []).filter((other) => other.id !== event.id),
      );
      const kept = remains.early.findIndex((other) => other.id === event.id);
      if (kept >= 0) remains.early.splice(kept, 1);
      else remains.applied.push(event);
      if (reception === "Parked")
        this.#park(remains, event, `${event.type} waited for a phase that never came`);
      if (reception === "UnexpectedMovement") this.#parkStray(remains, event, advance);
      if (reception === "Applied") return this.#takeWaiting(advance, waiting, context, remains);
    }
  }
}
