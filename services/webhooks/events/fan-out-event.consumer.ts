import { Controller, Inject } from "@nestjs/common";
import { type EventId, idOf, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { Consumes } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { Clock } from "../clock.ts";
import { CONFIG, type WebhooksConfig } from "../config.ts";
import type { LeasedDelivery, Receiver } from "../deliveries/domain/delivery.ts";
import { type PublicEvent, publicEventOf, type ToldMessage, toldMessages } from "./domain/public-events.ts";
import { render } from "./domain/render.ts";
import { isSubscribed } from "../endpoints/domain/subscription.ts";
import { DeliverySender } from "../deliveries/send-due-deliveries.worker.ts";
import { insertDeliveries, type NewDelivery } from "../deliveries/store/deliveries.ts";
import { insertEvents, insertRenderings } from "./store/events.ts";
import { Receivers } from "../deliveries/endpoint-resolver.ts";

/** An event with its stored ids. */
interface BookedEvent extends PublicEvent {
  readonly uuid: string;
  readonly id: EventId;
  readonly book: string;
  /** The message's data as JSON. */
  readonly told: string;
}

/** A delivery to be made: to whom, and with which bytes. */
interface Planned {
  readonly event: BookedEvent;
  readonly receiver: Receiver;
  readonly body: string;
}

/** Turns messages into events, and each event into one delivery for every endpoint that asked for its type. */
@Controller()
export class FanOutEvent {
  readonly #receivers: Receivers;
  readonly #sender: DeliverySender;
  readonly #clock: Clock;
  readonly #attemptsAllowed: number;

  constructor(
    @Inject(Receivers) receivers: Receivers,
    @Inject(DeliverySender) sender: DeliverySender,
    @Inject(Clock) clock: Clock,
    @Inject(CONFIG) config: WebhooksConfig,
  ) {
    this.#receivers = receivers;
    this.#sender = sender;
    this.#clock = clock;
    this.#attemptsAllowed = config.WEBHOOK_MAX_ATTEMPTS;
  }

  @Consumes(...toldMessages)
  async onMessages(messages: readonly ToldMessage[], unit: UnitOfWork): Promise<void> {
    const now = this.#clock.now();
    const events = messages.flatMap(toEvent);
    const fresh = await insertEvents(
      unit.sql,
      events.map((event) => ({
        id: event.uuid,
        book: event.book,
        type: event.type,
        objectId: event.objectId,
        sequence: event.sequence,
        part: event.part,
        data: event.told,
      })),
      now,
    );
    // A change that was told before has its deliveries: they were committed with its event.
    const told = events.filter((event) => fresh.has(event.uuid));
    const books = [...new Set(told.map((event) => event.book))];
    const receivers = await this.#receivers.ofBooks(unit.sql, books, now);
    const { planned, renderings } = plan(told, receivers);
    await insertRenderings(unit.sql, renderings);
    await this.#deliver(planned, unit, now);
  }

  /** Inserts the deliveries: in this instance's hand as far as it can send them soon, else for whoever can. */
  async #deliver(planned: readonly Planned[], unit: UnitOfWork, now: Date): Promise<void> {
    if (planned.length === 0) return;
    const lease = this.#sender.newLease();
    const rooms = new Map<string, number>();
    const rows: NewDelivery[] = [];
    const inHand: LeasedDelivery[] = [];
    for (const { event, receiver, body } of planned) {
      const room = rooms.get(receiver.endpointId) ?? this.#sender.roomFor(receiver);
      rooms.set(receiver.endpointId, room - 1);
      const id = newUuid();
      const { endpointId, apiVersion } = receiver;
      rows.push({
        id,
        book: event.book,
        eventId: event.uuid,
        endpointId,
        eventType: event.type,
        apiVersion,
        lease: room > 0 ? lease : null,
      });
      if (room > 0) inHand.push(this.#fresh(id, event, body, receiver, lease));
    }
    await insertDeliveries(unit.sql, rows, this.#attemptsAllowed, now);
    unit.afterCommit(() => {
      this.#sender.send(inHand);
      if (inHand.length < rows.length) this.#sender.wake();
    });
  }

  #fresh(
    id: string,
    event: BookedEvent,
    body: string,
    receiver: Receiver,
    lease: LeasedDelivery["lease"],
  ): LeasedDelivery {
    return {
      id,
      eventId: event.id,
      body,
      attemptCount: 0,
      attemptsAllowed: this.#attemptsAllowed,
      acknowledgedBefore: false,
      lease,
      receiver,
    };
  }
}

function toEvent(message: ToldMessage): BookedEvent[] {
  const event = publicEventOf(message);
  if (event === null) return [];
  const told = JSON.stringify(message.data);
  return [{ ...event, uuid: message.id, id: idOf("evt", message.id), book: uuidOf(message.book), told }];
}

/** Who gets what, and each body rendered once for all that get it. */
function plan(events: readonly BookedEvent[], receivers: ReadonlyMap<string, readonly Receiver[]>) {
  const planned: Planned[] = [];
  const renderings: { eventId: string; apiVersion: string; body: string }[] = [];
  for (const event of events) {
    const rendered = new Map<string, string>();
    for (const receiver of receivers.get(event.book) ?? []) {
      if (!isSubscribed(receiver.eventTypes, event.type)) continue;
      const body = rendered.get(receiver.apiVersion) ?? render(event.id, event, receiver.apiVersion);
      if (!rendered.has(receiver.apiVersion)) {
        rendered.set(receiver.apiVersion, body);
        renderings.push({ eventId: event.uuid, apiVersion: receiver.apiVersion, body });
      }
      planned.push({ event, receiver, body });
    }
  }
  return { planned, renderings };
}
