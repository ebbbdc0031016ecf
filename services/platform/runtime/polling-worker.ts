import { setTimeout as delay } from "node:timers/promises";
import type { OnApplicationBootstrap, OnModuleDestroy } from "@nestjs/common";
import type { Logger } from "pino";

const maxLastSaves = 5;
const lastSaveIntervalMs = 500;

/**
 * Calls `tick` in a loop: again at once while it finds work, else after `intervalMs` or when woken. A tick that throws
 * is logged and counted. The next one comes after `intervalMs` or when the worker is woken: work that is due stays a
 * row until it is done.
 *
 * A worker extends this class: Nest starts it with the application and stops it while the database is still open.
 */
export class PollingWorker implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #name: string;
  readonly #intervalMs: () => number;
  readonly #tick: (signal: AbortSignal) => Promise<number>;
  readonly #log: Logger;
  readonly #countFailedTick: (worker: string) => void;
  readonly #stopping = new AbortController();
  #woken = false;
  #wake: (() => void) | undefined;
  #running: Promise<void> | undefined;

  /**
   * `tick` returns how many rows were due; 0 begins a pause. The signal aborts when the worker is stopped. If
   * `intervalMs` is a function, it is called before each pause. `countFailedTick` gets the worker's name
   * (`failedTicksOf`).
   */
  constructor(
    name: string,
    intervalMs: number | (() => number),
    tick: (signal: AbortSignal) => Promise<number>,
    log: Logger,
    countFailedTick: (worker: string) => void,
  ) {
    this.#name = name;
    this.#intervalMs = typeof intervalMs === "number" ? () => intervalMs : intervalMs;
    this.#tick = tick;
    this.#log = log;
    this.#countFailedTick = countFailedTick;
  }

  onApplicationBootstrap(): void {
    this.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.stop();
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Resolves after the current tick. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake?.();
    await this.#running;
  }

  /** Ends the pause: something may be due now. */
  wake(): void {
    this.#woken = true;
    this.#wake?.();
  }

  /**
   * Saves what is held in memory before the process ends. A row that another session has locked may be free a moment
   * later. What can't be saved is logged, and the process ends all the same.
   */
  protected async saveBeforeEnd(save: () => Promise<unknown>, held: () => unknown): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await save();
        return;
      } catch (error) {
        if (attempt === maxLastSaves) {
          const worker = this.#name;
          this.#log.error({ err: error, worker, unsaved: held() }, "not saved before the process ends");
          return;
        }
      }
      await delay(lastSaveIntervalMs);
    }
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      let found = 0;
      this.#woken = false;
      try {
        found = await this.#tick(this.#stopping.signal);
      } catch (error) {
        this.#countFailedTick(this.#name);
        this.#log.error({ err: error, worker: this.#name }, "a tick failed; its rows stay due");
      }
      if (found === 0 && !this.#woken) await this.#pause();
    }
  }

  #pause(): Promise<void> {
    if (this.#stopping.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#intervalMs());
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
