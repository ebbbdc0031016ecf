import type { Receiver } from "../domain/delivery.ts";
import { type LaneOptions, ReceiverLane } from "./endpoint-queue.ts";

const mostIdleLanes = 1_024;

/** The lanes in use, one per endpoint and URL; the longest unused idle ones are closed beyond a bound. */
export class ReceiverLanes {
  readonly #options: LaneOptions;
  /** In order of last use. */
  readonly #lanes = new Map<string, ReceiverLane>();

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  of({ endpointId, url }: Pick<Receiver, "endpointId" | "url">): ReceiverLane {
    const key = `${endpointId} ${url}`;
    const lane = this.#lanes.get(key) ?? new ReceiverLane(url, this.#options);
    this.#lanes.delete(key);
    this.#lanes.set(key, lane);
    if (this.#lanes.size > mostIdleLanes) this.#closeIdle();
    return lane;
  }

  /** Room of the endpoints that have a lane; the others have a new lane's. */
  rooms(): Map<string, number> {
    const rooms = new Map<string, number>();
    for (const [key, lane] of this.#lanes) {
      const endpointId = key.slice(0, key.indexOf(" "));
      rooms.set(endpointId, Math.min(lane.room, rooms.get(endpointId) ?? lane.room));
    }
    return rooms;
  }

  all(): ReceiverLane[] {
    return [...this.#lanes.values()];
  }

  /** Closes every connection. Requests under way end first. */
  async close(): Promise<void> {
    await Promise.all(this.all().map((lane) => lane.pool.close()));
    this.#lanes.clear();
  }

  #closeIdle(): void {
    for (const [key, lane] of this.#lanes) {
      if (this.#lanes.size <= mostIdleLanes) return;
      if (!lane.isIdle) continue;
      this.#lanes.delete(key);
      // Nothing is under way in an idle lane, so this only lets its sockets go.
      void lane.pool.close();
    }
  }
}
