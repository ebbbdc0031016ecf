import { Controller, Inject } from "@nestjs/common";
import type { PaymentOrderId } from "../../../contracts/ids/ids.ts";
import { Consumes } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { pipeline } from "../../platform/persistence/pipeline.ts";
import { isNotice, type LifecycleEvent, type OrderEvent, orderEvents } from "./event-to-trigger.ts";
import { ProposeChanges, type OrderNotice } from "../counterparties/propose-changes.ts";
import { hasNotice } from "../order/notice-of-change.ts";
import { SubmittedTermsCache } from "../store/submitted-terms-cache.ts";
import { lockOrders } from "../store/payment-orders.ts";
import { readDeferred } from "../store/deferred-events.ts";
import { type ParkedEvent } from "../store/parked-events.ts";
import { BookContexts } from "./book-context.ts";
import { EndedOrders, isFinal } from "./ended-orders.ts";
import { EventsOfOrder } from "./events-of-order.ts";
import { UnappliedEvents } from "./unapplied-events.ts";
import { saveTransitions } from "./save-transitions.ts";

/** Applies the events of the ledger and the rails to orders, and moves each along the lifecycle. */
@Controller()
export class ApplyEvents {
  readonly #contexts: BookContexts;
  readonly #ended: EndedOrders;
  readonly #proposals: ProposeChanges;
  readonly #terms: SubmittedTermsCache;
  readonly #unapplied: UnappliedEvents;

  constructor(
    @Inject(BookContexts) contexts: BookContexts,
    @Inject(EndedOrders) ended: EndedOrders,
    @Inject(ProposeChanges) proposals: ProposeChanges,
    @Inject(SubmittedTermsCache) terms: SubmittedTermsCache,
    @Inject(UnappliedEvents) unapplied: UnappliedEvents,
  ) {
    this.#contexts = contexts;
    this.#ended = ended;
    this.#proposals = proposals;
    this.#terms = terms;
    this.#unapplied = unapplied;
  }

  /** Locks the orders in id order, then applies the events of each in stream order. */
  @Consumes(...orderEvents)
  async apply(events: readonly OrderEvent[], unit: UnitOfWork): Promise<void> {
    const eventsByOrder = await this.#open(events, unit);
    const proposed = await this.#proposals.propose(unit, newNotices(events, eventsByOrder));
    const ofNoOrder: ParkedEvent[] = [];
    for (const event of events) {
      const eventsOfOrder = eventsByOrder.get(event.data.orderId);
      if (eventsOfOrder === undefined)
        ofNoOrder.push({ event, reason: "there is no such order in this book" });
      else eventsOfOrder.apply(event, proposed.get(event.id));
    }
    const all = [...eventsByOrder.values()];
    saveTransitions(
      unit,
      all.filter(({ changed }) => changed).map(({ result }) => result),
      this.#ended,
    );
    for (const { order } of all) if (isFinal(order)) this.#terms.delete(order.id);
    this.#unapplied.save(unit, all, ofNoOrder);
  }

  async #open(
    events: readonly OrderEvent[],
    { sql }: UnitOfWork,
  ): Promise<Map<PaymentOrderId, EventsOfOrder>> {
    const keys = events.map((event) => ({ book: event.book, id: event.data.orderId }));
    const books = events.map((event) => event.book);
    // The locks come first, so that policies and deferred events are read under them.
    const [orders, contextOf, stored] = await pipeline(
      sql,
      () => lockOrders(sql, keys, this.#terms),
      () => this.#contexts.of(sql, books),
      () => readDeferred(sql, keys),
    );
    const deferred = Map.groupBy(stored as LifecycleEvent[], (event) => event.data.orderId);
    return new Map(
      [...orders].map(([id, order]) => [
        id,
        new EventsOfOrder(order, deferred.get(id) ?? [], contextOf(order)),
      ]),
    );
  }
}

/** Notices of change that their orders have not recorded yet, each with its order. */
function newNotices(
  events: readonly OrderEvent[],
  eventsByOrder: ReadonlyMap<PaymentOrderId, EventsOfOrder>,
): OrderNotice[] {
  return events.filter(isNotice).flatMap((notice) => {
    const order = eventsByOrder.get(notice.data.orderId)?.order;
    return order === undefined || hasNotice(order, notice.data.number) ? [] : [{ notice, order }];
  });
}
