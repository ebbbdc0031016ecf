import { setTimeout as pause } from "node:timers/promises";
import { Inject, Injectable, type OnModuleDestroy } from "@nestjs/common";
import { Database } from "../../platform/persistence/database.ts";
import { readReceived } from "./store/test-sinks.ts";

const intervalMs = 100;

interface Waiter {
  /** Requests that its caller has seen. */
  readonly received: number;
  readonly end: () => void;
}

/**
 * Lets callers wait for the next request to a sink. What this instance receives ends their wait at once; for what other
 * instances receive, one statement reads the counts of all sinks that somebody waits for, every 100 ms. So waiting
 * callers together use one connection, for a moment.
 */
@Injectable()
export class SinkWatch implements OnModuleDestroy {
  readonly #database: Database;
  /** By the sink's stored `uuid`. */
  readonly #waiting = new Map<string, Set<Waiter>>();
  #isPolling = false;

  constructor(@Inject(Database) database: Database) {
    this.#database = database;
  }

  onModuleDestroy(): void {
    for (const waiters of this.#waiting.values()) for (const { end } of waiters) end();
  }

  /** How many callers wait. */
  get waiting(): number {
    return [...this.#waiting.values()].reduce((sum, waiters) => sum + waiters.size, 0);
  }

  /** Resolves when the sink has received more than `received` requests or is gone, or after `waitMs`; never rejects. */
  async next(sinkId: string, received: number, waitMs: number): Promise<void> {
    const waiters = this.#waiting.get(sinkId) ?? new Set();
    this.#waiting.set(sinkId, waiters);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => waiter.end(), waitMs);
      const waiter: Waiter = {
        received,
        end: () => {
          clearTimeout(timer);
          waiters.delete(waiter);
          if (waiters.size === 0) this.#waiting.delete(sinkId);
          resolve();
        },
      };
      waiters.add(waiter);
      if (!this.#isPolling) void this.#poll();
    });
  }

  /** Ends the wait of those who have seen fewer than the `received` requests that the sink has got by now. */
  wake(sinkId: string, received: number): void {
    for (const waiter of this.#waiting.get(sinkId) ?? []) if (received > waiter.received) waiter.end();
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    while (this.#waiting.size > 0) {
      await pause(intervalMs);
      const ids = [...this.#waiting.keys()];
      try {
        const counts = await readReceived(this.#database.sql, ids);
        for (const id of ids) this.wake(id, counts.get(id) ?? Infinity);
      } catch {
        // Postgres is away: each caller now reads its page, and gets that error.
        for (const id of ids) this.wake(id, Infinity);
      }
    }
    this.#isPolling = false;
  }
}
