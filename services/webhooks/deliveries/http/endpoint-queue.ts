import type { ProcessClock } from "../../process-clock.ts";
import { type Lane, laneOf, type LeasedDelivery, type ResolvedEndpoint } from "../domain/delivery.ts";
import { Connection } from "./connection.ts";
import type { GuardedConnector } from "./guarded-connector.ts";

export interface QueueOptions {
  readonly connector: GuardedConnector;
  /** Concurrent requests, and as many connections. */
  readonly concurrency: number;
  readonly clock: ProcessClock;
}

/** A delivery with its endpoint as it is now, and the connection to send it on. */
export interface Sending {
  readonly delivery: LeasedDelivery;
  readonly connection: Connection;
  /** Path and query of the endpoint's URL. */
  readonly path: string;
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
/** How old the last read of an endpoint may be when an attempt starts. An older one is repeated first. */
const maxEndpointAgeMs = 100;
const secondMs = 1_000;
const replaysPerConnection = 4;

/**
 * The deliveries of one endpoint, its connections and its measured latency. Queues share nothing: a receiver that
 * takes 15 s for each response delays only its own deliveries, even if another endpoint has the same host.
 *
 * Retries have half of the connections at most, and room of their own in memory, so a backlog of them never takes the
 * place of first attempts. First attempts use a connection of the other half only while no retry waits for it.
 *
 * The endpoint's `ratePerSecond` limits the attempts that start within any second. Each instance counts its own. With
 * such a limit, first attempts and retries take turns: a fast receiver answers before half of the connections are busy,
 * so shares of connections would give every start to a first attempt.
 */
export class EndpointQueue {
  readonly #options: QueueOptions;
  #endpoint: ResolvedEndpoint;
  #url: URL;
  readonly #maxRetriesSending: number;
  readonly #lanes: Record<Lane, LaneState> = {
    First: { waiting: [], sending: 0, unrecorded: 0 },
    Retry: { waiting: [], sending: 0, unrecorded: 0 },
  };
  /** Those to the endpoint's URL. */
  readonly #connections = new Set<Connection>();
  /** The one that was used last is used next, so that those which are not needed become idle and close. */
  readonly #free: Connection[] = [];
  #latencyMs = assumedLatencyMs;
  /** When the last `ratePerSecond` attempts started (`ProcessClock.elapsedMs`). Empty without a limit. */
  readonly #starts: number[] = [];
  /** The lane of the latest attempt. */
  #lastStarted: LaneState | undefined;

  constructor(endpoint: ResolvedEndpoint, options: QueueOptions) {
    this.#endpoint = endpoint;
    this.#url = new URL(endpoint.url);
    this.#options = options;
    this.#maxRetriesSending = Math.max(1, Math.floor(options.concurrency / 2));
  }

  get endpointId(): string {
    return this.#endpoint.endpointId;
  }

  /** Replaces the endpoint by a newer read. If the URL changed, requests under way to the old one end there. */
  update(endpoint: ResolvedEndpoint): void {
    if (endpoint.readAtMs < this.#endpoint.readAtMs) return;
    const { url } = this.#endpoint;
    this.#endpoint = endpoint;
    if (endpoint.url === url) return;
    this.#url = new URL(endpoint.url);
    void this.close();
  }

  /** Whether a delivery waits that could be sent now, if `ratePerSecond` allows it. */
  get isReady(): boolean {
    return (this.#nextLane()?.waiting.length ?? 0) > 0;
  }

  /** Whether the endpoint must be read again before the next attempt. */
  get isStale(): boolean {
    return this.#options.clock.elapsedMs() - this.#endpoint.readAtMs > maxEndpointAgeMs;
  }

  /** Whether an attempt that `ratePerSecond` counts started within the last second. */
  get hasStartedWithinASecond(): boolean {
    const last = this.#starts.at(-1);
    return last !== undefined && last + secondMs > this.#options.clock.elapsedMs();
  }

  /** In how many ms `ratePerSecond` lets the next attempt start; 0 for now. */
  get startsInMs(): number {
    const { ratePerSecond } = this.#endpoint;
    const first = ratePerSecond === null ? undefined : this.#starts.at(-ratePerSecond);
    return first === undefined ? 0 : Math.max(0, first + secondMs - this.#options.clock.elapsedMs());
  }

  /**
   * How many more deliveries to add: as many as the receiver is likely to answer within `capacityWindowMs`. Any more
   * would wait here under a lease, although they could wait in the database where every instance sees them. A rate
   * limit counts as slow answers do.
   */
  capacityOf(lane: Lane): number {
    return Math.max(0, this.#maxIn(lane) - this.#heldIn(lane));
  }

  /**
   * How many deliveries of a replay to add: none while more first attempts wait than one round of requests sends. Few
   * at a time, because new events and retries that come later wait until these are sent: a fraction of a second. None
   * also while more than half of them are held, because each addition is a transaction.
   */
  replayCapacityOf(lane: Lane): number {
    const { concurrency } = this.#options;
    if (this.#lanes.First.waiting.length > concurrency) return 0;
    const max = Math.min(this.#maxIn(lane), concurrency * (lane === "Retry" ? replaysPerConnection : 1));
    const room = max - this.#heldIn(lane);
    return room * 2 < max ? 0 : room;
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
      this.#lastStarted = lane;
      this.#countStart();
      const { pathname, search } = this.#url;
      return {
        delivery: { ...delivery, endpoint: this.#endpoint },
        connection: this.#free.pop() ?? this.#connect(),
        path: pathname + search,
      };
    }
  }

  /** A request ended after `durationMs`; its attempt is not in the database yet. */
  markSent({ delivery, connection }: Sending, durationMs: number): void {
    const lane = this.#lanes[laneOf(delivery)];
    lane.sending -= 1;
    lane.unrecorded += 1;
    if (this.#connections.has(connection)) this.#free.push(connection);
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
    const connections = [...this.#connections];
    this.#connections.clear();
    this.#free.length = 0;
    await Promise.all(connections.map((connection) => connection.close()));
  }

  #countStart(): void {
    const { ratePerSecond } = this.#endpoint;
    if (ratePerSecond !== null) this.#starts.push(this.#options.clock.elapsedMs());
    while (this.#starts.length > (ratePerSecond ?? 0)) this.#starts.shift();
  }

  #nextLane(): LaneState | undefined {
    const { First, Retry } = this.#lanes;
    const { concurrency } = this.#options;
    if (First.sending + Retry.sending >= concurrency) return undefined;
    const canRetry = Retry.waiting.length > 0 && Retry.sending < this.#maxRetriesSending;
    const ofFirstAttempts = Math.max(1, concurrency - this.#maxRetriesSending);
    const isTurnOfFirst = this.#endpoint.ratePerSecond === null || this.#lastStarted !== First;
    const mayStartFirst = First.sending < ofFirstAttempts && isTurnOfFirst;
    if (First.waiting.length > 0 && (mayStartFirst || !canRetry)) return First;
    return canRetry ? Retry : undefined;
  }

  #connect(): Connection {
    const connection = new Connection(this.#url.origin, this.#options.connector, this.#options.clock);
    this.#connections.add(connection);
    return connection;
  }

  #maxIn(lane: Lane): number {
    const connections = lane === "First" ? this.#options.concurrency : this.#maxRetriesSending;
    const answeredInWindow = Math.ceil((connections * capacityWindowMs) / this.#latencyMs);
    const { ratePerSecond } = this.#endpoint;
    const startedInWindow = ratePerSecond === null ? maxHeld : (ratePerSecond * capacityWindowMs) / secondMs;
    return Math.min(maxHeld, startedInWindow, Math.max(connections, answeredInWindow));
  }

  #heldIn(lane: Lane): number {
    const { waiting, sending, unrecorded } = this.#lanes[lane];
    return waiting.length + sending + unrecorded;
  }
}
