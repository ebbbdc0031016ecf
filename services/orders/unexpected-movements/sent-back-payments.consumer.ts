import { Controller, Inject } from "@nestjs/common";
import type { PaymentOrderId } from "../../../contracts/ids/ids.ts";
import { SentBackPosted } from "../../../contracts/messages/inbound.ts";
import { Consumes, type MessageOf } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { BookContexts } from "../lifecycle/book-context.ts";
import { EndedOrders } from "../lifecycle/ended-orders.ts";
import type { LifecycleEvent } from "../lifecycle/event-to-trigger.ts";
import { EventsOfOrder, reasonOfKeptHold } from "../lifecycle/events-of-order.ts";
import { UnappliedEvents } from "../lifecycle/unapplied-events.ts";
import { saveTransitions } from "../lifecycle/save-transitions.ts";
import type { PaymentOrder } from "../order/payment-order.ts";
import { withSentBack } from "../order/sent-back.ts";
import { unchanged } from "../order/transition.ts";
import { readDeferred } from "../store/deferred-events.ts";
import { type ParkedEvent } from "../store/parked-events.ts";
import { lockOrders } from "../store/payment-orders.ts";

type Event = MessageOf<typeof SentBackPosted>;

/** The ledger has booked payments by which receivers sent the money of orders back. */
@Controller()
export class SentBackPayments {
  readonly #contexts: BookContexts;
  readonly #ended: EndedOrders;
  readonly #unapplied: UnappliedEvents;

  constructor(
    @Inject(BookContexts) contexts: BookContexts,
    @Inject(EndedOrders) ended: EndedOrders,
    @Inject(UnappliedEvents) unapplied: UnappliedEvents,
  ) {
    this.#contexts = contexts;
    this.#ended = ended;
    this.#unapplied = unapplied;
  }

  /**
   * The orders then show the payments. One whose hold the ledger keeps goes back to its rail, for a person, and takes
   * the events that were deferred until the ledger's answer.
   */
  @Consumes(SentBackPosted)
  async record(events: readonly Event[], unit: UnitOfWork): Promise<void> {
    const eventsByOrder = await this.#open(events, unit);
    const parked: ParkedEvent[] = [];
    for (const event of events) {
      const eventsOfOrder = eventsByOrder.get(event.data.orderId);
      if (eventsOfOrder === undefined) continue;
      const { order: before, context } = eventsOfOrder;
      const after = withSentBack(before, event.data, context);
      if (after !== before) eventsOfOrder.take(unchanged(after));
      if (after.phase !== before.phase) parked.push({ event, reason: reasonOf(event, before) });
    }
    const all = [...eventsByOrder.values()];
    saveTransitions(
      unit,
      all.filter(({ changed }) => changed).map(({ result }) => result),
      this.#ended,
    );
    this.#unapplied.save(unit, all, parked);
  }

  async #open(events: readonly Event[], { sql }: UnitOfWork): Promise<Map<PaymentOrderId, EventsOfOrder>> {
    const keys = events.map(({ book, data: { orderId: id } }) => ({ book, id }));
    const orders = await lockOrders(sql, keys);
    const contextOf = await this.#contexts.of(
      sql,
      keys.map(({ book }) => book),
    );
    const stored = (await readDeferred(sql, keys)) as LifecycleEvent[];
    const deferred = Map.groupBy(stored, (event) => event.data.orderId);
    return new Map(
      [...orders].map(([id, order]) => [
        id,
        new EventsOfOrder(order, deferred.get(id) ?? [], contextOf(order)),
      ]),
    );
  }
}

/** The order forgets what the bank had reported, so the reason names its code. */
function reasonOf(event: Event, { progress: { ending, rail } }: PaymentOrder): string {
  const code = ending.failure?.code ?? rail.return?.code ?? "nothing";
  return `${reasonOfKeptHold(event)} (the bank had reported ${code})`;
}
