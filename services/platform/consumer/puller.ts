import { setTimeout as delay } from "node:timers/promises";
import { type ConsumerMessages, jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { Logger } from "pino";
import type { DurableConsumer } from "../../../contracts/streams.ts";
import { streamsApi } from "../nats/connection.ts";
import type { MessageType } from "../../../contracts/message.ts";
import { decodeEnvelope, type InFlight, type StreamEnvelope } from "./batch.ts";

const envelopesPerPull = 200;
/** Ten full batches. An envelope has up to a hundred messages, so a backlog could fill the memory without it. */
const maxMessagesAhead = 10_000;
const retryDelayMs = 1_000;

interface PullerParts {
  readonly nats: NatsConnection;
  readonly log: Logger;
  readonly config: DurableConsumer;
}

/**
 * Pulls the envelopes of one durable consumer until it is stopped, and queues them until a batch takes them. If the
 * consumer or its stream is missing at the server, it waits: only the operator makes them again, and until then the
 * service is not ready.
 */
export class Puller {
  readonly #parts: PullerParts;
  readonly #types: ReadonlyMap<string, MessageType>;
  readonly #arrived: () => void;
  #queue: InFlight[] = [];
  #messageCount = 0;
  #messages: ConsumerMessages | undefined;
  #hasRoom: (() => void) | undefined;
  #stopping = false;

  /** `types` are those that the consumer knows, by subject. `arrived` is called after each envelope. */
  constructor(parts: PullerParts, types: ReadonlyMap<string, MessageType>, arrived: () => void) {
    this.#parts = parts;
    this.#types = types;
    this.#arrived = arrived;
  }

  get queue(): readonly InFlight[] {
    return this.#queue;
  }

  /** The number of messages in the queue. */
  get messageCount(): number {
    return this.#messageCount;
  }

  /** Takes the oldest envelopes: at most `maxMessages` messages, or one envelope. */
  take(maxMessages: number): InFlight[] {
    let messages = 0;
    let count = 0;
    for (const inFlight of this.#queue) {
      messages += countOf(inFlight);
      if (count > 0 && messages > maxMessages) break;
      count += 1;
    }
    return this.#remove(count);
  }

  /**
   * Returns the queued envelopes to the stream, which delivers them again after `delayMs`, to any instance. What stays
   * here counts against what the stream delivers to the others.
   */
  returnAll(delayMs?: number): void {
    for (const { envelope } of this.#remove(this.#queue.length)) envelope.nak(delayMs);
  }

  /** Takes no further envelopes. */
  stop(): void {
    this.#stopping = true;
    this.#messages?.stop();
    this.#hasRoom?.();
  }

  /** Resolves when it is stopped. */
  async run(): Promise<void> {
    const { nats, log, config } = this.#parts;
    while (!this.#stopping) {
      try {
        const { consumers } = jetstream(nats, { apiPrefix: streamsApi });
        const consumer = await consumers.get(config.stream, config.durable);
        const messages = await consumer.consume({ max_messages: envelopesPerPull });
        this.#messages = messages;
        if (this.#stopping) messages.stop(); // stop() was called during consume()
        void this.#watch(messages);
        // The next pull is sent from within this loop: none while it waits.
        for await (const envelope of messages) {
          this.#add(envelope);
          while (this.#messageCount >= maxMessagesAhead && !this.#stopping) await this.#room();
        }
      } catch (error) {
        if (this.#stopping) return;
        log.error(
          { err: error, stream: config.stream, durable: config.durable },
          "pulling failed; trying again. If the stream or the consumer is missing: npm run streams -- provision",
        );
        await delay(retryDelayMs);
      }
    }
  }

  #add(envelope: StreamEnvelope): void {
    const inFlight = decodeEnvelope(envelope, this.#types);
    this.#queue.push(inFlight);
    this.#messageCount += countOf(inFlight);
    this.#arrived();
  }

  #remove(count: number): InFlight[] {
    const removed = this.#queue.splice(0, count);
    for (const inFlight of removed) this.#messageCount -= countOf(inFlight);
    this.#hasRoom?.();
    return removed;
  }

  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#hasRoom = resolve;
    });
  }

  /** After the consumer is deleted, consume() stays open without messages; only the status reports the deletion. */
  async #watch(messages: ConsumerMessages): Promise<void> {
    for await (const status of messages.status()) {
      if (status.type !== "consumer_deleted" && status.type !== "consumer_not_found") continue;
      messages.stop(); // the next pull waits until it exists again
    }
  }
}

/** Also those that can't be read: they take as much memory. */
function countOf({ messages, unreadable, unknown }: InFlight): number {
  return messages.length + unreadable.length + unknown.length;
}
