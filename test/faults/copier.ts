/** Makes a mess of the streams: says facts again, shuffled and in other envelopes. */
import { setTimeout as delay } from "node:timers/promises";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { headers, type NatsConnection, type Subscription } from "@nats-io/transport-node";
import { durableConsumers } from "../../contracts/streams.ts";
import { type Service, largestEnvelopeFacts } from "../../contracts/message.ts";
import { newUuid } from "../../contracts/ids/ids.ts";
import type { Dice } from "./dice.ts";
import { messagesOf } from "./streams.ts";

type RawFact = Record<string, unknown> & { id: string };
interface Heard {
  readonly subject: string;
  readonly fact: RawFact;
}

/** A copy is known by it, so that nobody copies copies for ever. */
const copyMark = "Fault-Test-Copy";
const everyMs = 60;

export interface CopierOptions {
  /** `same`: the fact itself again. `fresh`: what it says, as a fact that nobody has met. */
  readonly ids: "same" | "fresh";
  readonly copies: (subject: string) => boolean;
}

/** Hears every fact on its way and says it once more, a little later and in no order. */
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
        callback: (error, message) => {
          if (error !== null || message.headers?.has(copyMark) === true || !options.copies(message.subject))
            return;
          const { facts } = message.json<{ facts: RawFact[] }>();
          this.#held.push(...facts.map((fact) => ({ subject: message.subject, fact })));
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
    const copies = heard.map(({ subject, fact }) => ({
      subject,
      fact: this.#options.ids === "same" ? fact : { ...fact, id: newUuid() },
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
    for (const message of await messagesOf(nats, stream)) {
      if (!filterSubjects.some((filter) => matches(filter, message.subject))) continue;
      await streams.deleteMessage(stream, message.seq);
      const { facts } = message.json<{ facts: RawFact[] }>();
      taken.push(...facts.map((fact) => ({ subject: message.subject, fact })));
    }
    await publish(nats, dice.shuffled(taken), dice);
    shuffled += taken.length;
  }
  return shuffled;
}

function matches(filter: string, subject: string): boolean {
  return subject.startsWith(filter.replace(/\*$/, ""));
}

/** Packs facts into envelopes of one subject and of any size, and sends them in the order of their first facts. */
async function publish(nats: NatsConnection, facts: readonly Heard[], dice: Dice): Promise<void> {
  const envelopes: { subject: string; facts: RawFact[]; room: number }[] = [];
  const open = new Map<string, (typeof envelopes)[number]>();
  for (const { subject, fact } of facts) {
    let envelope = open.get(subject);
    if (envelope === undefined || envelope.facts.length >= envelope.room) {
      envelope = { subject, facts: [], room: dice.between(1, Math.min(8, largestEnvelopeFacts)) };
      open.set(subject, envelope);
      envelopes.push(envelope);
    }
    envelope.facts.push(fact);
  }
  const marked = headers();
  marked.set(copyMark, "1");
  const js = jetstream(nats);
  for (const { subject, facts: packed } of envelopes) {
    await js.publish(subject, JSON.stringify({ facts: packed }), { headers: marked });
  }
}

function split<T>(items: readonly T[], first: (item: T) => boolean): [T[], T[]] {
  const both: [T[], T[]] = [[], []];
  for (const item of items) both[first(item) ? 0 : 1].push(item);
  return both;
}
