import type { NatsConnection } from "@nats-io/transport-node";
import { watchConnection } from "../nats/connection.ts";
import type { Database } from "../persistence/database.ts";

/** Whether this instance should receive work. */
export class Readiness {
  readonly #database: Database;
  #open = false;
  #natsConnected = true;
  #streams: () => Promise<string[]> = () => Promise.resolve([]);

  constructor(database: Database, nats: NatsConnection) {
    this.#database = database;
    void watchConnection(nats, {
      lost: () => {
        this.#natsConnected = false;
      },
      regained: () => {
        this.#natsConnected = true;
      },
    });
  }

  /** Off is the first step of a shutdown: the balancer sends requests elsewhere while the current ones finish. */
  setReady(open: boolean): void {
    this.#open = open;
  }

  /** What the streams lack for this service, asked each time while NATS is connected. */
  require(streams: () => Promise<string[]>): void {
    this.#streams = streams;
  }

  /** The names of what is missing; empty when ready. */
  async missing(): Promise<string[]> {
    if (!this.#open) return ["started"];
    const [healthy, streams] = await Promise.all([
      this.#database.isHealthy(),
      this.#natsConnected ? this.#streams() : ["nats"],
    ]);
    return [...(healthy ? [] : ["database"]), ...streams];
  }
}
