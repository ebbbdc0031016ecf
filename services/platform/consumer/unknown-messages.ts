import type { Logger } from "pino";
import type { DurableConsumer } from "../../../contracts/streams.ts";
import type { Metrics } from "../observability/metrics.ts";
import type { StreamEnvelope, Unknown } from "./batch.ts";

export const unknownRetryDelayMs = 30_000;
/** Far below the consumer's `max_ack_pending`, which they would otherwise fill unseen. */
const maxReturned = 100;

interface UnknownMessagesParts {
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly config: DurableConsumer;
}

/**
 * Counts the envelopes that were returned to the stream because they need a newer version of this service. At a
 * hundred the consumer must stop. This process will never read them, so it stays stopped until a newer version replaces
 * it.
 */
export class UnknownMessages {
  readonly #parts: UnknownMessagesParts;
  readonly #total;
  /** When each was returned last, by its place in the stream, oldest first. */
  readonly #returnedAt = new Map<number, number>();
  #tooMany = false;

  constructor(parts: UnknownMessagesParts) {
    this.#parts = parts;
    this.#total = parts.metrics.counter(
      "consumer_unknown_messages_total",
      "Messages returned to the stream because this version does not know their type or a value, at each delivery",
      ["stream"],
    );
  }

  get tooMany(): boolean {
    return this.#tooMany;
  }

  returned({ subject, seq }: StreamEnvelope, unknown: readonly Unknown[]): void {
    const { log, config } = this.#parts;
    const now = performance.now();
    if (!this.#returnedAt.has(seq)) {
      log.error(
        { subject, streamSequence: seq, reason: unknown[0]?.reason },
        "a message needs a newer version of this service; it was returned to the stream",
      );
    }
    this.#returnedAt.delete(seq);
    this.#returnedAt.set(seq, now);
    // What was not redelivered here since went to another instance, which may know it.
    for (const [old, at] of this.#returnedAt) {
      if (now - at > 2 * unknownRetryDelayMs) this.#returnedAt.delete(old);
    }
    this.#total.inc({ stream: config.stream }, unknown.length);
    if (this.#returnedAt.size < maxReturned || this.#tooMany) return;
    this.#tooMany = true;
    log.fatal(
      { stream: config.stream, envelopes: this.#returnedAt.size },
      "too many messages need a newer version: the consumer stops. Start a version of this service that reads them",
    );
  }
}
