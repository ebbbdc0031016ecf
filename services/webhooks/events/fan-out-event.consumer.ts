import { Controller, Inject } from "@nestjs/common";
import { type EventId, idOf, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { Consumes } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { Clock } from "../clock.ts";
import { CONFIG, type WebhooksConfig } from "../config.ts";
import type { LeasedDelivery, ResolvedEndpoint } from "../deliveries/domain/delivery.ts";
import { type PublicEvent, toPublicEvent, type SourceEvent, sourceEvents } from "./domain/public-events.ts";
import { render } from "./domain/render.ts";
import { isSubscribed } from "../endpoints/domain/subscription.ts";
import { DeliverySender } from "../deliveries/send-due-deliveries.worker.ts";
import { insertDeliveries, type NewDelivery } from "../deliveries/store/deliveries.ts";
import { insertEvents, insertRenderings, type RenderingRow } from "./store/events.ts";
import { EndpointResolver } from "../deliveries/endpoint-resolver.ts";

/** A public event with its ids. `uuid` is the id of its message. */
interface StoredEvent extends PublicEvent {
  readonly uuid: string;
  readonly id: EventId;
  readonly book: string;
  /** The message's data as JSON. */
  readonly payload: string;
}

/** A delivery to insert: an event, its body, and the endpoint that receives it. */
interface PlannedDelivery {
  readonly event: StoredEvent;
  readonly endpoint: ResolvedEndpoint;
  readonly body: string;
}

/** Turns messages into public events, and each event into one delivery per endpoint that subscribes to its type. */
@Controller()
export class FanOutEvent {
  readonly #endpoints: EndpointResolver;
  readonly #sender: DeliverySender;
  readonly #clock: Clock;
  readonly #attemptsAllowed: number;

  constructor(
    @Inject(EndpointResolver) endpoints: EndpointResolver,
    @Inject(DeliverySender) sender: DeliverySender,
    @Inject(Clock) clock: Clock,
    @Inject(CONFIG) config: WebhooksConfig,
  ) {
    this.#endpoints = endpoints;
    this.#sender = sender;
    this.#clock = clock;
    this.#attemptsAllowed = config.WEBHOOK_MAX_ATTEMPTS;
  }

  @Consumes(...sourceEvents)
  async onMessages(messages: readonly SourceEvent[], unit: UnitOfWork): Promise<void> {
    const now = this.#clock.now();
    const events = messages.flatMap(toStoredEvent);
    const newIds = await insertEvents(unit.sql, events, now);
    // An event that is not new has its deliveries: they were committed with it.
    const newEvents = events.filter((event) => newIds.has(event.uuid));
    const books = [...new Set(newEvents.map((event) => event.book))];
    const endpoints = await this.#endpoints.ofBooks(unit.sql, books, now);
    const { planned, renderings } = planDeliveries(newEvents, endpoints);
    await insertRenderings(unit.sql, renderings);
    await this.#insertAndSend(planned, unit, now);
  }

  /** Inserts the deliveries. This instance leases as many as it can send soon; any instance claims the others. */
  async #insertAndSend(planned: readonly PlannedDelivery[], unit: UnitOfWork, now: Date): Promise<void> {
    if (planned.length === 0) return;
    const lease = this.#sender.newLease();
    const capacities = new Map<string, number>();
    const rows: NewDelivery[] = [];
    const leased: LeasedDelivery[] = [];
    for (const { event, endpoint, body } of planned) {
      const { endpointId, apiVersion } = endpoint;
      const capacity = capacities.get(endpointId) ?? this.#sender.capacityFor(endpoint);
      capacities.set(endpointId, capacity - 1);
      const id = newUuid();
      rows.push({
        id,
        book: event.book,
        eventId: event.uuid,
        endpointId,
        eventType: event.type,
        apiVersion,
        lease: capacity > 0 ? lease : null,
      });
      if (capacity <= 0) continue;
      leased.push({
        id,
        eventId: event.id,
        body,
        attemptCount: 0,
        attemptsAllowed: this.#attemptsAllowed,
        acknowledgedBefore: false,
        lease,
        endpoint,
      });
    }
    await insertDeliveries(unit.sql, rows, this.#attemptsAllowed, now);
    unit.afterCommit(() => {
      this.#sender.send(leased);
      if (leased.length < rows.length) this.#sender.wake();
    });
  }
}

function toStoredEvent(message: SourceEvent): StoredEvent[] {
  const event = toPublicEvent(message);
  if (event === null) return [];
  const payload = JSON.stringify(message.data);
  return [{ ...event, uuid: message.id, id: idOf("evt", message.id), book: uuidOf(message.book), payload }];
}

/** Which endpoint receives which event. A body is rendered once for all endpoints of one version. */
function planDeliveries(
  events: readonly StoredEvent[],
  endpoints: ReadonlyMap<string, readonly ResolvedEndpoint[]>,
) {
  const planned: PlannedDelivery[] = [];
  const renderings: RenderingRow[] = [];
  for (const event of events) {
    const bodies = new Map<string, string>();
    for (const endpoint of endpoints.get(event.book) ?? []) {
      const { apiVersion, eventTypes } = endpoint;
      if (!isSubscribed(eventTypes, event.type)) continue;
      const body = bodies.get(apiVersion) ?? render(event.id, event, apiVersion);
      if (!bodies.has(apiVersion)) renderings.push({ eventId: event.uuid, apiVersion, body });
      bodies.set(apiVersion, body);
      planned.push({ event, endpoint, body });
    }
  }
  return { planned, renderings };
}
