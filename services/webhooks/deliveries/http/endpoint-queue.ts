import { type buildConnector, Pool } from "undici";
import type { LeasedDelivery } from "../domain/delivery.ts";

export interface LaneOptions {
  readonly connector: buildConnector.connector;
  /** Requests under way at the same time; as many connections. */
  readonly concurrency: number;
}

/** What a lane holds at most, however quick its receiver. */
const mostInHand = 2_000;
const paceWindowMs = 5_000;
const assumedLatencyMs = 50;
const latencyWeight = 0.2;
const idleConnectionMs = 4_000;

/**
 * One endpoint's own way out: its connections, its queue, its pace. Lanes share nothing, so a receiver that takes
 * 15 s for each answer delays only itself, also beside another endpoint of the same host.
 */
export class ReceiverLane {
  readonly pool: Pool;
  /** Path and query of the endpoint's URL. */
  readonly path: string;
  readonly #concurrency: number;
  readonly #queue: LeasedDelivery[] = [];
  #sending = 0;
  #unrecorded = 0;
  #latencyMs = assumedLatencyMs;

  constructor(url: string, { connector, concurrency }: LaneOptions) {
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
   * How many more it takes: what its receiver is likely to answer in the next seconds. More would only wait here
   * under a lease while the rows could wait in the database, where every instance sees them.
   */
  get room(): number {
    const pace = Math.ceil((this.#concurrency * paceWindowMs) / this.#latencyMs);
    const most = Math.min(mostInHand, Math.max(this.#concurrency, pace));
    return Math.max(0, most - this.#queue.length - this.#sending - this.#unrecorded);
  }

  get isIdle(): boolean {
    return this.#queue.length + this.#sending + this.#unrecorded === 0;
  }

  add(delivery: LeasedDelivery): void {
    this.#queue.push(delivery);
  }

  /**
   * The next to send, when a place is free. Each taken one is told of by `sent` and then `recorded`. One whose lease
   * would not outlast the attempt is left to whoever takes it when the lease is over.
   */
  take(now: Date, timeoutMs: number): LeasedDelivery | undefined {
    while (this.#sending < this.#concurrency) {
      const delivery = this.#queue.shift();
      if (delivery === undefined) return undefined;
      if (delivery.lease.endsAt.getTime() - now.getTime() < timeoutMs) continue;
      this.#sending += 1;
      return delivery;
    }
    return undefined;
  }

  sent(durationMs: number): void {
    this.#sending -= 1;
    this.#unrecorded += 1;
    this.#latencyMs += latencyWeight * (Math.max(1, durationMs) - this.#latencyMs);
  }

  recorded(): void {
    this.#unrecorded -= 1;
  }

  /** Takes back what has not been sent. */
  empty(): LeasedDelivery[] {
    return this.#queue.splice(0);
  }
}
