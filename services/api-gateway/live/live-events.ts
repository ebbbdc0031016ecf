import type { OnModuleInit } from "@nestjs/common";
import type { NatsConnection, Subscription } from "@nats-io/transport-node";
import type { BookId } from "../../../contracts/ids/ids.ts";
import type { AnnouncementType, AnyMessage, EventType } from "../../../contracts/message.ts";
import { BookFrozen, BookUnfrozen, CheckpointMade } from "../../../contracts/messages/books.ts";
import { InboundPaymentReceived } from "../../../contracts/messages/inbound.ts";
import {
  ApprovalPolicyChanged,
  OrderApprovalRecorded,
  OrderStatusChanged,
} from "../../../contracts/messages/orders.ts";
import { ApiKeyRevoked, PersonChanged, SettingsChanged } from "../../../contracts/messages/tenants.ts";
import { DeliveriesChanged } from "../../../contracts/messages/webhooks.ts";
import { watchConnection } from "../../platform/nats/connection.ts";
import { everySubjectOf } from "../../platform/nats/permissions.ts";

/** What a screen learns of a change: which object, and never its content. The screen reads the object again. */
export interface Change {
  readonly type:
    | "payment_order"
    | "inbound_payment"
    | "approval_policy"
    | "ledger"
    | "book"
    | "setting"
    | "webhooks";
  readonly id: string;
  /** The object's own count of its changes, where it has one. */
  readonly sequence: number | null;
}

export interface Watcher {
  changed(change: Change): void;
  /** Changes may have been missed: read everything again that is shown. */
  resync(): void;
}

const watched: readonly (readonly [EventType | AnnouncementType, Change["type"]])[] = [
  [OrderStatusChanged, "payment_order"],
  [OrderApprovalRecorded, "payment_order"],
  [InboundPaymentReceived, "inbound_payment"],
  [ApprovalPolicyChanged, "approval_policy"],
  [SettingsChanged, "setting"],
  // An operator's changes publish these, too.
  [PersonChanged, "setting"],
  [ApiKeyRevoked, "setting"],
  [CheckpointMade, "ledger"],
  [BookFrozen, "book"],
  [BookUnfrozen, "book"],
  [DeliveriesChanged, "webhooks"],
];

/**
 * Tells open streams which objects of their book have changed. It subscribes to the owners' messages without a durable
 * consumer, and only while somebody watches: an instance without streams receives nothing. A missed event costs nothing
 * but a late screen, so after a reconnect to NATS every watcher is asked to read again.
 */
export class LiveEvents implements OnModuleInit {
  readonly #nats: NatsConnection;
  readonly #watchers = new Map<BookId, Set<Watcher>>();
  #subscriptions: Subscription[] = [];

  constructor(nats: NatsConnection) {
    this.#nats = nats;
  }

  onModuleInit(): void {
    void watchConnection(this.#nats, { regained: () => this.#resyncAll() });
  }

  /** Calls the watcher for each change in the book until the returned function is called. */
  watch(book: BookId, watcher: Watcher): () => void {
    if (this.#watchers.size === 0) this.#subscribe();
    const ofBook = this.#watchers.get(book) ?? new Set();
    this.#watchers.set(book, ofBook.add(watcher));
    return () => {
      ofBook.delete(watcher);
      if (ofBook.size === 0 && this.#watchers.get(book) === ofBook) this.#watchers.delete(book);
      if (this.#watchers.size === 0) this.#unsubscribe();
    };
  }

  #subscribe(): void {
    this.#subscriptions = watched.map(([message, type]) =>
      // The client renews the subscription after each reconnect.
      this.#nats.subscribe(everySubjectOf(message), {
        callback: (error, { data }) => {
          if (error === null) this.#tell(type, data);
        },
      }),
    );
  }

  #unsubscribe(): void {
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
    this.#subscriptions = [];
  }

  #tell(type: Change["type"], data: Uint8Array): void {
    for (const message of messagesIn(data)) {
      const ofBook = this.#watchers.get(message.book);
      if (ofBook === undefined) continue;
      const change = { type, id: message.subject, sequence: message.sequence ?? null };
      for (const watcher of ofBook) watcher.changed(change);
    }
  }

  #resyncAll(): void {
    for (const ofBook of this.#watchers.values()) for (const watcher of ofBook) watcher.resync();
  }
}

const decoder = new TextDecoder();

type Read = Pick<AnyMessage, "book" | "subject" | "sequence">;

/**
 * The readable messages of an envelope. Unreadable ones are the durable consumers' concern: here they are left out.
 * Only what is used is checked: NATS lets nobody but the owner send them, and a busy book sends thousands a second.
 */
function messagesIn(data: Uint8Array): Read[] {
  try {
    const { messages } = JSON.parse(decoder.decode(data)) as { messages: Partial<Read>[] };
    return messages.filter(isReadable);
  } catch {
    return [];
  }
}

function isReadable(message: Partial<Read>): message is Read {
  return typeof message.book === "string" && typeof message.subject === "string";
}
