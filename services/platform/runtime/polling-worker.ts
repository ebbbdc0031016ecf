import type { Logger } from "pino";

/**
 * Calls `turn` again and again: at once while it finds work, else after `everyMs` or when woken. A turn that throws
 * is logged and tried again after `everyMs`: what is due stays a row until it is done.
 */
export class PollingWorker {
  readonly #name: string;
  readonly #everyMs: number;
  readonly #turn: (signal: AbortSignal) => Promise<number>;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  #woken = false;
  #wake: (() => void) | undefined;
  #running: Promise<void> | undefined;

  /** `turn` answers how many were due. */
  constructor(name: string, everyMs: number, turn: (signal: AbortSignal) => Promise<number>, log: Logger) {
    this.#name = name;
    this.#everyMs = everyMs;
    this.#turn = turn;
    this.#log = log;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends after the turn in hand. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake?.();
    await this.#running;
  }

  /** Says that something may be due now. */
  wake(): void {
    this.#woken = true;
    this.#wake?.();
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      let found = 0;
      this.#woken = false;
      try {
        found = await this.#turn(this.#stopping.signal);
      } catch (error) {
        this.#log.error({ err: error, loop: this.#name }, "a turn failed; the rows stay due");
      }
      if (found === 0 && !this.#woken) await this.#pause();
    }
  }

  #pause(): Promise<void> {
    if (this.#stopping.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#everyMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
