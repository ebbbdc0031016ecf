/** Publishes messages again, in another order and in other envelopes. */
import { setTimeout as delay } from "node:timers/promises";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { headers, type NatsConnection, type Subscription } from "@nats-io/transport-node";
import { durableConsumers } from "../../../contracts/streams.ts";
import { type Service, maxEnvelopeMessages } from "../../../contracts/message.ts";
import { newUuid } from "../../../contracts/ids/ids.ts";
import { patienceMs } from "../../stack/until.ts";
import type { RandomFaults } from "./random-faults.ts";
import { messagesOf } from "./streams.ts";

type RawMessage = Record<string, unknown> & { id: string };
interface SeenMessage {
  readonly subject: string;
  readonly message: RawMessage;
}

/** Marks copies, so that copies are not copied. */
const copyMark = "Fault-Test-Copy";
const intervalMs = 60;

export interface DuplicateOptions {
  /** `same`: the same message again. `fresh`: the same data under a new message id. */
  readonly ids: "same" | "fresh";
  readonly copies: (subject: string) => boolean;
}

/** Publishes every message a second time, a little later and in random order. */
export class DuplicateDeliveries {
  readonly #nats: NatsConnection;
  readonly #random: RandomFaults;
  readonly #options: DuplicateOptions;
  readonly #subscriptions: Subscription[];
  #waiting: SeenMessage[] = [];
  #ended = false;
  #work: Promise<void>;
  published = 0;

  constructor(nats: NatsConnection, random: RandomFaults, options: DuplicateOptions) {
    this.#nats = nats;
    this.#random = random;
    this.#options = options;
    this.#subscriptions = ["cmd.>", "evt.>", "ntf.>"].map((subject) =>
      nats.subscribe(subject, {
        callback: (error, envelope) => {
          if (error !== null || envelope.headers?.has(copyMark) === true || !options.copies(envelope.subject))
            return;
          const { messages } = envelope.json<{ messages: RawMessage[] }>();
          this.#waiting.push(...messages.map((message) => ({ subject: envelope.subject, message })));
        },
      }),
    );
    this.#work = this.#run();
  }

  /** Publishes the copies that still wait, and stops. */
  async stop(): Promise<void> {
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
    this.#ended = true;
    await this.#work;
    await this.#publishCopies(this.#waiting.splice(0));
  }

  async #run(): Promise<void> {
    while (!this.#ended) {
      await delay(intervalMs);
      // About half of the copies are published now, the others later.
      const [now, later] = split(this.#waiting.splice(0), () => this.#random.next() < 0.5);
      this.#waiting.push(...later);
      await this.#publishCopies(now);
    }
  }

  async #publishCopies(messages: readonly SeenMessage[]): Promise<void> {
    const copies = messages.map(({ subject, message }) => ({
      subject,
      message: this.#options.ids === "same" ? message : { ...message, id: newUuid() },
    }));
    await publish(this.#nats, this.#random.shuffled(copies), this.#random);
    this.published += copies.length;
  }
}

/**
 * Removes the messages that wait for a service from its streams and publishes them again in random order. Only while
 * the service is down, and only for subjects that no other service consumes.
 */
export async function shuffleBacklog(
  nats: NatsConnection,
  service: Service,
  random: RandomFaults,
): Promise<number> {
  const { streams } = await jetstreamManager(nats, { timeout: patienceMs });
  let shuffled = 0;
  for (const { stream, filterSubjects } of durableConsumers(service)) {
    const taken: SeenMessage[] = [];
    for (const envelope of await messagesOf(nats, stream)) {
      if (!filterSubjects.some((filter) => matches(filter, envelope.subject))) continue;
      await streams.deleteMessage(stream, envelope.seq);
      const { messages } = envelope.json<{ messages: RawMessage[] }>();
      taken.push(...messages.map((message) => ({ subject: envelope.subject, message })));
    }
    await publish(nats, random.shuffled(taken), random);
    shuffled += taken.length;
  }
  return shuffled;
}

function matches(filter: string, subject: string): boolean {
  return subject.startsWith(filter.replace(/\*$/, ""));
}

/**
 * Packs messages into envelopes of one subject and random size, and publishes them in the order of their first
 * messages.
 */
async function publish(
  nats: NatsConnection,
  messages: readonly SeenMessage[],
  random: RandomFaults,
): Promise<void> {
  const envelopes: { subject: string; messages: RawMessage[]; room: number }[] = [];
  const open = new Map<string, (typeof envelopes)[number]>();
  for (const { subject, message } of messages) {
    let envelope = open.get(subject);
    if (envelope === undefined || envelope.messages.length >= envelope.room) {
      envelope = { subject, messages: [], room: random.between(1, Math.min(8, maxEnvelopeMessages)) };
      open.set(subject, envelope);
      envelopes.push(envelope);
    }
    envelope.messages.push(message);
  }
  const marked = headers();
  marked.set(copyMark, "1");
  const js = jetstream(nats);
  for (const { subject, messages: packed } of envelopes) {
    await js.publish(subject, JSON.stringify({ messages: packed }), {
      headers: marked,
      timeout: patienceMs,
    });
  }
}

function split<T>(items: readonly T[], first: (item: T) => boolean): [T[], T[]] {
  const both: [T[], T[]] = [[], []];
  for (const item of items) both[first(item) ? 0 : 1].push(item);
  return both;
}
