import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { LOG } from "../../platform/platform.module.ts";
import { deleteDeferred, saveDeferred } from "../store/deferred-events.ts";
import { insertParked, type ParkedEvent } from "../store/parked-events.ts";
import type { EventsOfOrder } from "./events-of-order.ts";

/** Saves the events that are not applied now: those that are deferred, and those that are parked. */
@Injectable()
export class UnappliedEvents {
  readonly #log: Logger;
  readonly #parked;
  readonly #unexpectedMovements;

  constructor(@Inject(LOG) log: Logger, @Inject(Metrics) metrics: Metrics) {
    this.#log = log;
    this.#parked = metrics.counter("orders_parked_events_total", "Events that a person must decide on");
    this.#unexpectedMovements = metrics.counter(
      "orders_unexpected_movements_total",
      "Money that moved after its order was final",
    );
  }

  /** `ofNoOrder` is parked too. */
  save(unit: UnitOfWork, ofOrders: readonly EventsOfOrder[], ofNoOrder: readonly ParkedEvent[] = []): void {
    const parked = [...ofNoOrder, ...ofOrders.flatMap((events) => events.parked)];
    for (const event of parked) this.#alert(event);
    const newlyDeferred = ofOrders.flatMap((events) => events.newlyDeferred);
    const noLongerDeferred = ofOrders.flatMap((events) => events.noLongerDeferred);
    unit.withCommit(saveDeferred(unit.sql, newlyDeferred));
    unit.withCommit(deleteDeferred(unit.sql, noLongerDeferred));
    unit.withCommit(insertParked(unit.sql, parked));
  }

  /** Money may have moved that no order accounts for, so the log and the metrics call a person. */
  #alert({ event, reason, ledgerTransactionId }: ParkedEvent): void {
    this.#parked.inc();
    if (ledgerTransactionId !== undefined) this.#unexpectedMovements.inc();
    this.#log.error(
      { eventId: event.id, type: event.type, orderId: event.subject, reason, ledgerTransactionId },
      "an event was parked",
    );
  }
}
