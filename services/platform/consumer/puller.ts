import { setTimeout as delay } from "node:timers/promises";
import { type Consumer, type ConsumerMessages, jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { Logger } from "pino";
import type { DurableConsumer } from "../../../contracts/streams.ts";
import { streamsApi } from "../nats/connection.ts";
import { maxEnvelopeMessages, type MessageType } from "../../../contracts/message.ts";
import { decodeEnvelope, type InFlight, type StreamEnvelope } from "./batch.ts";

/** Ten full batches. A backlog of envelopes could fill the memory without this limit. */
const maxMessagesAhead = 10_000;
/** Fewer are not worth a request to the stream. */
const minEnvelopesPerPull = 50;
const retryDelayMs = 1_000;
const pullExpiresMs = 30_000;

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
  #mayPull: (() => void) | undefined;
  #returnDelayMs: number | undefined;
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

  /** Returns the queued envelopes as `returnAll` does, and pulls no others until `resume`. */
  pause(delayMs: number): void {
    this.#returnDelayMs = delayMs;
    this.#messages?.stop();
    this.returnAll(delayMs);
  }

  resume(): void {
    this.#returnDelayMs = undefined;
    this.#mayPull?.();
  }

  /** Takes no further envelopes. */
  stop(): void {
    this.#stopping = true;
    this.#messages?.stop();
    this.#mayPull?.();
  }

  /** Resolves when it is stopped. */
  async run(): Promise<void> {
    const { nats, log, config } = this.#parts;
    while (!this.#stopping) {
      try {
        const { consumers } = jetstream(nats, { apiPrefix: streamsApi });
        await this.#pullFrom(await consumers.get(config.stream, config.durable));
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

  /**
   * Asks for no more than the queue has room for. So all that comes is queued at once, and none waits in the client,
   * where the stream would take it for lost.
   */
  async #pullFrom(consumer: Consumer): Promise<void> {
    while (!this.#stopping) {
      const room = Math.floor((maxMessagesAhead - this.#messageCount) / maxEnvelopeMessages);
      if (room < minEnvelopesPerPull || this.#isPaused) {
        await this.#untilItMayPull();
        continue;
      }
      const messages = await consumer.fetch({ max_messages: room, expires: pullExpiresMs });
      this.#messages = messages;
      if (this.#stopping || this.#isPaused) messages.stop(); // stop() or pause() was called during fetch()
      for await (const envelope of messages) this.#add(envelope);
    }
  }

  get #isPaused(): boolean {
    return this.#returnDelayMs !== undefined;
  }

  #add(envelope: StreamEnvelope): void {
    if (this.#returnDelayMs !== undefined) {
      // It arrived before the pull ended. What was still on its way is lost here, and comes again after `ackWaitNanos`.
      envelope.nak(this.#returnDelayMs);
      return;
    }
    const inFlight = decodeEnvelope(envelope, this.#types);
    this.#queue.push(inFlight);
    this.#messageCount += countOf(inFlight);
    this.#arrived();
  }

  #remove(count: number): InFlight[] {
    const removed = this.#queue.splice(0, count);
    for (const inFlight of removed) this.#messageCount -= countOf(inFlight);
    this.#mayPull?.();
    return removed;
  }

  #untilItMayPull(): Promise<void> {
    return new Promise((resolve) => {
      this.#mayPull = resolve;
    });
  }
}

/** Also those that can't be read: they take as much memory. */
function countOf({ messages, unreadable, unknown }: InFlight): number {
  return messages.length + unreadable.length + unknown.length;
}
