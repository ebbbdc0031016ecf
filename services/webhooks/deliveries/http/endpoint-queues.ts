import { type Lane, lanes, type ResolvedEndpoint } from "../domain/delivery.ts";
import { EndpointQueue, type QueueOptions } from "./endpoint-queue.ts";

const maxQueues = 1_024;

/** How many more deliveries of one lane to claim for an endpoint. */
export interface LaneCapacity {
  readonly endpointId: string;
  readonly lane: Lane;
  readonly capacity: number;
}

/** One queue per endpoint. Above `maxQueues`, idle queues are closed, least recently used first. */
export class EndpointQueues {
  readonly #options: QueueOptions;
  /** In order of last use. */
  readonly #queues = new Map<string, EndpointQueue>();

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** The endpoint's queue, which sends as the endpoint was last read. */
  of(endpoint: ResolvedEndpoint): EndpointQueue {
    const { endpointId } = endpoint;
    const queue = this.#queues.get(endpointId) ?? new EndpointQueue(endpoint, this.#options);
    queue.update(endpoint);
    this.#queues.delete(endpointId);
    this.#queues.set(endpointId, queue);
    if (this.#queues.size > maxQueues) this.#closeIdle(queue);
    return queue;
  }

  /** The capacities of each endpoint that has a queue. All others have those of a new queue. */
  capacities(): LaneCapacity[] {
    return [...this.#queues].flatMap(([endpointId, queue]) =>
      lanes.map((lane) => ({ endpointId, lane, capacity: queue.capacityOf(lane) })),
    );
  }

  all(): EndpointQueue[] {
    return [...this.#queues.values()];
  }

  /** Closes every connection after its request has ended. */
  async close(): Promise<void> {
    await Promise.all(this.all().map((queue) => queue.close()));
    this.#queues.clear();
  }

  /** Those that are idle, except one that is about to be used. */
  #closeIdle(used: EndpointQueue): void {
    for (const [key, queue] of this.#queues) {
      if (this.#queues.size <= maxQueues) return;
      // A new queue would not know the attempts of the last second, which `ratePerSecond` counts.
      if (queue === used || !queue.isIdle || queue.hasStartedWithinASecond) continue;
      this.#queues.delete(key);
      // An idle queue has no request in flight, so closing it only frees sockets.
      void queue.close();
    }
  }
}
