/** Makes a mess of the streams: says messages again, shuffled and in other envelopes. */
import { setTimeout as delay } from "node:timers/promises";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { headers, type NatsConnection, type Subscription } from "@nats-io/transport-node";
import { durableConsumers } from "../../contracts/streams.ts";
import { type Service, maxEnvelopeMessages } from "../../contracts/message.ts";
import { newUuid } from "../../contracts/ids/ids.ts";
import type { Dice } from "./dice.ts";
import { messagesOf } from "./streams.ts";

type RawMessage = Record<string, unknown> & { id: string };
interface Heard {
  readonly subject: string;
  readonly message: RawMessage;
}

/** A copy is known by it, so that nobody copies copies for ever. */
const copyMark = "Fault-Test-Copy";
const everyMs = 60;

export interface CopierOptions {
  /** `same`: the message itself again. `fresh`: what it says, as a message that nobody has met. */
  readonly ids: "same" | "fresh";
  readonly copies: (subject: string) => boolean;
}

/** Hears every message on its way and says it once more, a little later and in no order. */
export class Copier {
  readonly #nats: NatsConnection;
  readonly #dice: Dice;
  readonly #options: CopierOptions;
  readonly #subscriptions: Subscription[];
  #held: Heard[] = [];
  #ended = false;
  #work: Promise<void>;
  said = 0;

  constructor(nats: NatsConnection, dice: Dice, options: CopierOptions) {
    this.#nats = nats;
    this.#dice = dice;
    this.#options = options;
    this.#subscriptions = ["cmd.>", "evt.>"].map((subject) =>
      nats.subscribe(subject, {
        callback: (error, envelope) => {
          if (error !== null || envelope.headers?.has(copyMark) === true || !options.copies(envelope.subject))
            return;
          const { messages } = envelope.json<{ messages: RawMessage[] }>();
          this.#held.push(...messages.map((message) => ({ subject: envelope.subject, message })));
        },
      }),
    );
    this.#work = this.#run();
  }

  /** Says what is still held, and ends. */
  async stop(): Promise<void> {
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
    this.#ended = true;
    await this.#work;
    await this.#say(this.#held.splice(0));
  }

  async #run(): Promise<void> {
    while (!this.#ended) {
      await delay(everyMs);
      // About half of what is held goes out, whichever it is: the rest waits for another turn.
      const [now, later] = split(this.#held.splice(0), () => this.#dice.next() < 0.5);
      this.#held.push(...later);
      await this.#say(now);
    }
  }

  async #say(heard: readonly Heard[]): Promise<void> {
    const copies = heard.map(({ subject, message }) => ({
      subject,
      message: this.#options.ids === "same" ? message : { ...message, id: newUuid() },
    }));
    await publish(this.#nats, this.#dice.shuffled(copies), this.#dice);
    this.said += copies.length;
  }
}

/**
 * Takes what waits for a service out of its streams and puts it back in another order: what comes first then was said
 * last. Only while the service is down, and only for subjects that nobody else consumes.
 */
export async function shuffleBacklog(nats: NatsConnection, service: Service, dice: Dice): Promise<number> {
  const { streams } = await jetstreamManager(nats);
  let shuffled = 0;
  for (const { stream, filterSubjects } of durableConsumers(service)) {
    const taken: Heard[] = [];
    for (const envelope of await messagesOf(nats, stream)) {
      if (!filterSubjects.some((filter) => matches(filter, envelope.subject))) continue;
      await streams.deleteMessage(stream, envelope.seq);
      const { messages } = envelope.json<{ messages: RawMessage[] }>();
      taken.push(...messages.map((message) => ({ subject: envelope.subject, message })));
    }
    await publish(nats, dice.shuffled(taken), dice);
    shuffled += taken.length;
  }
  return shuffled;
}

function matches(filter: string, subject: string): boolean {
  return subject.startsWith(filter.replace(/\*$/, ""));
}

/** Packs messages into envelopes of one subject and of any size, and sends them in the order of their first messages. */
async function publish(nats: NatsConnection, messages: readonly Heard[], dice: Dice): Promise<void> {
  const envelopes: { subject: string; messages: RawMessage[]; room: number }[] = [];
  const open = new Map<string, (typeof envelopes)[number]>();
  for (const { subject, message } of messages) {
    let envelope = open.get(subject);
    if (envelope === undefined || envelope.messages.length >= envelope.room) {
      envelope = { subject, messages: [], room: dice.between(1, Math.min(8, maxEnvelopeMessages)) };
      open.set(subject, envelope);
      envelopes.push(envelope);
    }
    envelope.messages.push(message);
  }
  const marked = headers();
  marked.set(copyMark, "1");
  const js = jetstream(nats);
  for (const { subject, messages: packed } of envelopes) {
    await js.publish(subject, JSON.stringify({ messages: packed }), { headers: marked });
  }
}

function split<T>(items: readonly T[], first: (item: T) => boolean): [T[], T[]] {
  const both: [T[], T[]] = [[], []];
  for (const item of items) both[first(item) ? 0 : 1].push(item);
  return both;
}
