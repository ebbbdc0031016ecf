import { Controller, Inject } from "@nestjs/common";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { Consumes } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { ProcessClock } from "../process-clock.ts";
import { type SourceEvent, sourceEvents, toPublicEvent } from "./domain/public-events.ts";
import { EventFanOut, type NewEvent, toNewEvent } from "./event-fan-out.ts";
import { withoutDropped } from "./store/dropped-changes.ts";

/** Turns messages into public events. The id of a message is that of its event. */
@Controller()
export class FanOutEvent {
  readonly #fanOut: EventFanOut;
  readonly #clock: ProcessClock;

  constructor(@Inject(EventFanOut) fanOut: EventFanOut, @Inject(ProcessClock) clock: ProcessClock) {
    this.#fanOut = fanOut;
    this.#clock = clock;
  }

  @Consumes(...sourceEvents)
  async onMessages(messages: readonly SourceEvent[], unit: UnitOfWork): Promise<void> {
    const events = await withoutDropped(unit.sql, messages.flatMap(eventsOf), this.#clock.now());
    await this.#fanOut.add(events, unit);
  }
}

function eventsOf(message: SourceEvent): NewEvent[] {
  const event = toPublicEvent(message);
  return event === null ? [] : [toNewEvent(event, message.id, uuidOf(message.book))];
}
