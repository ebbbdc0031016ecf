import { setTimeout as delay } from "node:timers/promises";
import { type ConsumerMessages, jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { Logger } from "pino";
import type { DurableConsumer } from "../../../contracts/streams.ts";
import { streamsApi } from "../nats/connection.ts";
import type { StreamEnvelope } from "./batch.ts";

const maxEnvelopesAhead = 200;
const retryDelayMs = 1_000;

interface PullerParts {
  readonly nats: NatsConnection;
  readonly log: Logger;
  readonly config: DurableConsumer;
}

/**
 * Pulls the envelopes of one durable consumer until it is stopped. If the consumer or its stream is missing at the
 * server, it waits: only the operator makes them again, and until then the service is not ready.
 */
export class Puller {
  readonly #parts: PullerParts;
  readonly #arrived: (envelope: StreamEnvelope) => void;
  #messages: ConsumerMessages | undefined;
  #stopping = false;

  constructor(parts: PullerParts, arrived: (envelope: StreamEnvelope) => void) {
    this.#parts = parts;
    this.#arrived = arrived;
  }

  /** Takes no further envelopes. */
  stop(): void {
    this.#stopping = true;
    this.#messages?.stop();
  }

  /** Resolves when it is stopped. */
  async run(): Promise<void> {
    const { nats, log, config } = this.#parts;
    while (!this.#stopping) {
      try {
        const { consumers } = jetstream(nats, { apiPrefix: streamsApi });
        const consumer = await consumers.get(config.stream, config.durable);
        const messages = await consumer.consume({ max_messages: maxEnvelopesAhead });
        this.#messages = messages;
        if (this.#stopping) messages.stop(); // stop() was called during consume()
        void this.#watch(messages);
        for await (const envelope of messages) this.#arrived(envelope);
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

  /** After the consumer is deleted, consume() stays open without messages; only the status reports the deletion. */
  async #watch(messages: ConsumerMessages): Promise<void> {
    for await (const status of messages.status()) {
      if (status.type !== "consumer_deleted" && status.type !== "consumer_not_found") continue;
      messages.stop(); // the next pull waits until it exists again
    }
  }
}
