import { Inject, Injectable } from "@nestjs/common";
import { idOf, newUuid } from "../../../contracts/ids/ids.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { ProcessClock } from "../process-clock.ts";
import { CONFIG, type WebhooksConfig } from "../config.ts";
import { DeliveryAnnouncements } from "../deliveries/delivery-announcements.ts";
import type { ResolvedEndpoint } from "../deliveries/domain/delivery.ts";
import { EndpointResolver, type EnabledEndpoint } from "../deliveries/endpoint-resolver.ts";
import { DeliverySender } from "../deliveries/send-due-deliveries.worker.ts";
import { isSubscribed } from "../endpoints/domain/subscription.ts";
import type { PublicEvent } from "./domain/public-events.ts";
import { render } from "./domain/render.ts";
import { type PlannedDelivery, newLeasedDelivery } from "./planned-delivery.ts";
import { insertEvents, type RenderingRow } from "./store/events.ts";

/** A public event to store. `uuid` is the id of its message, if it has one. */
export interface NewEvent extends Omit<PublicEvent, "payload"> {
  readonly uuid: string;
  readonly book: string;
  /** The event's payload as JSON. */
  readonly payload: string;
}

export function toNewEvent(event: PublicEvent, uuid: string, book: string): NewEvent {
  return { ...event, uuid, book, payload: JSON.stringify(event.payload) };
}

/** Stores events, each with one delivery per enabled endpoint that subscribes to its type, and sends these. */
@Injectable()
export class EventFanOut {
  readonly #endpoints: EndpointResolver;
  readonly #sender: DeliverySender;
  readonly #announcements: DeliveryAnnouncements;
  readonly #clock: ProcessClock;
  readonly #maxAttempts: number;

  constructor(
    @Inject(EndpointResolver) endpoints: EndpointResolver,
    @Inject(DeliverySender) sender: DeliverySender,
    @Inject(DeliveryAnnouncements) announcements: DeliveryAnnouncements,
    @Inject(ProcessClock) clock: ProcessClock,
    @Inject(CONFIG) config: Pick<WebhooksConfig, "WEBHOOK_MAX_ATTEMPTS">,
  ) {
    this.#endpoints = endpoints;
    this.#sender = sender;
    this.#announcements = announcements;
    this.#clock = clock;
    this.#maxAttempts = config.WEBHOOK_MAX_ATTEMPTS;
  }

  /** Inserts them with the commit of the unit of work. What this instance can send soon is sent after it. */
  async add(events: readonly NewEvent[], unit: UnitOfWork): Promise<void> {
    if (events.length === 0) return;
    const now = this.#clock.now();
    const books = [...new Set(events.map((event) => event.book))];
    const endpoints = await this.#endpoints.ofBooks(unit.sql, books, this.#clock);
    const { deliveries, renderings } = this.#plan(events, endpoints);
    const lease = this.#sender.newLease();
    const fanOut = { deliveries, renderings, lease };
    const inserting = insertEvents(unit.sql, events, fanOut, now).then((newIds) => {
      const inserted = deliveries.filter(({ eventId }) => newIds.has(eventId));
      const leased = inserted.flatMap(({ endpoint, ...delivery }) =>
        delivery.isLeased && endpoint !== null ? [newLeasedDelivery({ ...delivery, endpoint }, lease)] : [],
      );
      unit.afterCommit(() => {
        this.#sender.sendNew(leased);
        if (leased.length < inserted.length) this.#sender.wake();
        this.#announcements.add(books);
      });
    });
    unit.withCommit(inserting);
  }

  /**
   * Which endpoint receives which event. A body is rendered once for all endpoints of one version. This instance leases
   * as many deliveries as it can send soon. Any instance claims the others, and logs why one of them can't be sent.
   */
  #plan(events: readonly NewEvent[], endpoints: ReadonlyMap<string, readonly EnabledEndpoint[]>) {
    const deliveries: PlannedDelivery[] = [];
    const renderings: RenderingRow[] = [];
    const capacities = new Map<string, number>();
    for (const event of events) {
      const eventId = event.uuid;
      const bodies = new Map<string, string>();
      for (const endpoint of endpoints.get(event.book) ?? []) {
        const { endpointId, apiVersion, eventTypes, maxAttempts, resolved } = endpoint;
        if (!isSubscribed(eventTypes, event.type)) continue;
        const body = bodies.get(apiVersion) ?? render(idOf("evt", eventId), event, apiVersion);
        if (!bodies.has(apiVersion)) renderings.push({ eventId, apiVersion, body });
        bodies.set(apiVersion, body);
        const capacity = capacities.get(endpointId) ?? this.#capacityFor(resolved);
        capacities.set(endpointId, capacity - 1);
        const isLeased = capacity > 0;
        const attemptsAllowed = maxAttempts ?? this.#maxAttempts;
        const delivery = { id: newUuid(), eventId, endpointId, apiVersion, attemptsAllowed, isLeased };
        deliveries.push({ ...delivery, endpoint: resolved, body });
      }
    }
    return { deliveries, renderings };
  }

  #capacityFor(endpoint: ResolvedEndpoint | null): number {
    return endpoint === null ? 0 : this.#sender.capacityFor(endpoint);
  }
}
