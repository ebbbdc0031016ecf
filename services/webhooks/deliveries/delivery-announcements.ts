import { Inject, Injectable, type OnModuleDestroy } from "@nestjs/common";
import type { NatsConnection } from "@nats-io/transport-node";
import type { Logger } from "pino";
import { idOf } from "../../../contracts/ids/ids.ts";
import { maxEnvelopeMessages } from "../../../contracts/message.ts";
import { DeliveriesChanged } from "../../../contracts/messages/webhooks.ts";
import { createMessage } from "../../platform/messages/message.ts";
import { LOG, NATS } from "../../platform/platform.module.ts";

/** Open screens hear of changes at most four times a second, so more messages would tell them nothing. */
const pauseMs = 250;

/**
 * Announces to open screens that events or deliveries of a book have changed. The first change is announced at once;
 * those of the next 250 ms are announced together, each book once. So thousands of deliveries a second cost at most
 * four announcements for each hundred books. Neither Postgres nor a stream takes part, and a failure harms no delivery.
 */
@Injectable()
export class DeliveryAnnouncements implements OnModuleDestroy {
  readonly #nats: Pick<NatsConnection, "publish">;
  readonly #log: Pick<Logger, "warn">;
  readonly #changed = new Set<string>();
  #pause: NodeJS.Timeout | undefined;

  constructor(@Inject(NATS) nats: Pick<NatsConnection, "publish">, @Inject(LOG) log: Pick<Logger, "warn">) {
    this.#nats = nats;
    this.#log = log;
  }

  /** Call it after the commit. Books are uuids, as stored. */
  add(books: Iterable<string>): void {
    for (const book of books) this.#changed.add(book);
    if (this.#pause === undefined) this.#announce();
  }

  /** What waits is announced before the connection closes. */
  onModuleDestroy(): void {
    clearTimeout(this.#pause);
    this.#announce();
  }

  #announce(): void {
    this.#pause = undefined;
    if (this.#changed.size === 0) return;
    const messages = [...this.#changed].map((uuid) => {
      const book = idOf("book", uuid);
      return createMessage(DeliveriesChanged, { book, subject: book, data: {} });
    });
    this.#changed.clear();
    this.#pause = setTimeout(() => this.#announce(), pauseMs).unref();
    try {
      for (let from = 0; from < messages.length; from += maxEnvelopeMessages) {
        const envelope = { messages: messages.slice(from, from + maxEnvelopeMessages) };
        this.#nats.publish(DeliveriesChanged.subject, JSON.stringify(envelope));
      }
    } catch (error) {
      this.#log.warn({ err: error }, "changed deliveries were not announced to open screens");
    }
  }
}
