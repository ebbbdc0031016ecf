import { type buildConnector, Pool } from "undici";
import type { LeasedDelivery } from "../domain/delivery.ts";

export interface QueueOptions {
  readonly connector: buildConnector.connector;
  /** Concurrent requests, and as many connections. */
  readonly concurrency: number;
}

/** The most deliveries that one queue holds, however fast its receiver. */
const maxHeld = 2_000;
const capacityWindowMs = 5_000;
const assumedLatencyMs = 50;
const latencyWeight = 0.2;
const idleConnectionMs = 4_000;

/**
 * The deliveries of one endpoint, its connections and its measured latency. Queues share nothing: a receiver that
 * takes 15 s for each response delays only its own deliveries, even if another endpoint has the same host.
 */
export class EndpointQueue {
  readonly pool: Pool;
  /** Path and query of the endpoint's URL. */
  readonly path: string;
  readonly #concurrency: number;
  readonly #waiting: LeasedDelivery[] = [];
  #sending = 0;
  #unrecorded = 0;
  #latencyMs = assumedLatencyMs;

  constructor(url: string, { connector, concurrency }: QueueOptions) {
    const { origin, pathname, search } = new URL(url);
    this.path = pathname + search;
    this.#concurrency = concurrency;
    this.pool = new Pool(origin, {
      connect: connector,
      connections: concurrency,
      pipelining: 1,
      keepAliveTimeout: idleConnectionMs,
    });
  }

  /**
   * How many more deliveries to add: as many as the receiver is likely to answer within `capacityWindowMs`. Any more
   * would wait here under a lease, although they could wait in the database where every instance sees them.
   */
  get capacity(): number {
    const answeredInWindow = Math.ceil((this.#concurrency * capacityWindowMs) / this.#latencyMs);
    const max = Math.min(maxHeld, Math.max(this.#concurrency, answeredInWindow));
    return Math.max(0, max - this.#held);
  }

  get isIdle(): boolean {
    return this.#held === 0;
  }

  get #held(): number {
    return this.#waiting.length + this.#sending + this.#unrecorded;
  }

  add(delivery: LeasedDelivery): void {
    this.#waiting.push(delivery);
  }

  /**
   * The next delivery to send, or undefined if none waits or all connections are busy. Call `markSent` and then
   * `markRecorded` for each. A delivery whose lease would end before the time-out is dropped: another instance
   * claims it when the lease ends.
   */
  next(now: Date, timeoutMs: number): LeasedDelivery | undefined {
    while (this.#sending < this.#concurrency) {
      const delivery = this.#waiting.shift();
      if (delivery === undefined) return undefined;
      if (delivery.lease.endsAt.getTime() - now.getTime() < timeoutMs) continue;
      this.#sending += 1;
      return delivery;
    }
    return undefined;
  }

  /** A request ended after `durationMs`; its attempt is not in the database yet. */
  markSent(durationMs: number): void {
    this.#sending -= 1;
    this.#unrecorded += 1;
    this.#latencyMs += latencyWeight * (Math.max(1, durationMs) - this.#latencyMs);
  }

  markRecorded(): void {
    this.#unrecorded -= 1;
  }

  /** Removes and returns the deliveries that were not sent. */
  drain(): LeasedDelivery[] {
    return this.#waiting.splice(0);
  }
}
