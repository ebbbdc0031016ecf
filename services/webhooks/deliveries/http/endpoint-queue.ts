import type { Clock } from "../../clock.ts";
import { type Lane, laneOf, type LeasedDelivery } from "../domain/delivery.ts";
import { Connection } from "./connection.ts";
import type { GuardedConnector } from "./guarded-connector.ts";

export interface QueueOptions {
  readonly connector: GuardedConnector;
  /** Concurrent requests, and as many connections. */
  readonly concurrency: number;
  readonly clock: Clock;
}

/** A delivery, and the connection to send it on. */
export interface Sending {
  readonly delivery: LeasedDelivery;
  readonly connection: Connection;
}

interface LaneState {
  readonly waiting: LeasedDelivery[];
  sending: number;
  unrecorded: number;
}

/** The most deliveries that a lane of one queue holds, however fast its receiver. */
const maxHeld = 2_000;
const capacityWindowMs = 5_000;
const assumedLatencyMs = 50;
const latencyWeight = 0.2;

/**
 * The deliveries of one endpoint, its connections and its measured latency. Queues share nothing: a receiver that
 * takes 15 s for each response delays only its own deliveries, even if another endpoint has the same host.
 *
 * Retries have half of the connections at most, and room of their own in memory, so a backlog of them never takes the
 * place of first attempts. First attempts use a connection of the other half only while no retry waits for it.
 */
export class EndpointQueue {
  /** Path and query of the endpoint's URL. */
  readonly path: string;
  readonly #origin: string;
  readonly #options: QueueOptions;
  readonly #maxRetriesSending: number;
  readonly #lanes: Record<Lane, LaneState> = {
    First: { waiting: [], sending: 0, unrecorded: 0 },
    Retry: { waiting: [], sending: 0, unrecorded: 0 },
  };
  readonly #connections: Connection[] = [];
  /** The one that was used last is used next, so that those which are not needed become idle and close. */
  readonly #free: Connection[] = [];
  #latencyMs = assumedLatencyMs;

  constructor(url: string, options: QueueOptions) {
    const { origin, pathname, search } = new URL(url);
    this.path = pathname + search;
    this.#origin = origin;
    this.#options = options;
    this.#maxRetriesSending = Math.max(1, Math.floor(options.concurrency / 2));
  }

  /**
   * How many more deliveries to add: as many as the receiver is likely to answer within `capacityWindowMs`. Any more
   * would wait here under a lease, although they could wait in the database where every instance sees them.
   */
  capacityOf(lane: Lane): number {
    const connections = lane === "First" ? this.#options.concurrency : this.#maxRetriesSending;
    const answeredInWindow = Math.ceil((connections * capacityWindowMs) / this.#latencyMs);
    const max = Math.min(maxHeld, Math.max(connections, answeredInWindow));
    return Math.max(0, max - this.#heldIn(lane));
  }

  get isIdle(): boolean {
    return this.#heldIn("First") + this.#heldIn("Retry") === 0;
  }

  add(delivery: LeasedDelivery): void {
    this.#lanes[laneOf(delivery)].waiting.push(delivery);
  }

  /**
   * The next delivery to send, or undefined if none waits or all connections are busy. Call `markSent` and then
   * `markRecorded` for each. A delivery whose lease would end before the time-out is dropped: another instance
   * claims it when the lease ends.
   */
  next(now: Date, timeoutMs: number): Sending | undefined {
    for (;;) {
      const lane = this.#nextLane();
      const delivery = lane?.waiting.shift();
      if (lane === undefined || delivery === undefined) return undefined;
      if (delivery.lease.endsAt.getTime() - now.getTime() < timeoutMs) continue;
      lane.sending += 1;
      return { delivery, connection: this.#free.pop() ?? this.#connect() };
    }
  }

  /** A request ended after `durationMs`; its attempt is not in the database yet. */
  markSent({ delivery, connection }: Sending, durationMs: number): void {
    const lane = this.#lanes[laneOf(delivery)];
    lane.sending -= 1;
    lane.unrecorded += 1;
    this.#free.push(connection);
    this.#latencyMs += latencyWeight * (Math.max(1, durationMs) - this.#latencyMs);
  }

  markRecorded(delivery: LeasedDelivery): void {
    this.#lanes[laneOf(delivery)].unrecorded -= 1;
  }

  /** Removes and returns the deliveries that were not sent. */
  drain(): LeasedDelivery[] {
    return Object.values(this.#lanes).flatMap(({ waiting }) => waiting.splice(0));
  }

  /** Closes every connection after its request has ended. */
  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  #nextLane(): LaneState | undefined {
    const { First, Retry } = this.#lanes;
    const { concurrency } = this.#options;
    if (First.sending + Retry.sending >= concurrency) return undefined;
    const canRetry = Retry.waiting.length > 0 && Retry.sending < this.#maxRetriesSending;
    const ofFirstAttempts = Math.max(1, concurrency - this.#maxRetriesSending);
    if (First.waiting.length > 0 && (First.sending < ofFirstAttempts || !canRetry)) return First;
    return canRetry ? Retry : undefined;
  }

  #connect(): Connection {
    const connection = new Connection(this.#origin, this.#options.connector, this.#options.clock);
    this.#connections.push(connection);
    return connection;
  }

  #heldIn(lane: Lane): number {
    const { waiting, sending, unrecorded } = this.#lanes[lane];
    return waiting.length + sending + unrecorded;
  }
}
