/**
 * Spaces the starts of batches: on average one per interval, so that each collects what arrives in between. After
 * idleness the first few start at once: a lone order waits for nothing.
 */
export class Pace {
  readonly #intervalMs: number;
  readonly #burst: number;
  /** When the starts so far have used up their intervals. */
  #usedUntil = -Infinity;

  /** `burst` starts may come at once after idleness, which takes as many intervals to save up. */
  constructor(intervalMs: number, burst = 1) {
    this.#intervalMs = intervalMs;
    this.#burst = burst;
  }

  /** How many milliseconds the next start must wait; 0 if it may come now. */
  get waitMs(): number {
    const dueAt = this.#usedUntil - (this.#burst - 1) * this.#intervalMs;
    return Math.max(0, dueAt - performance.now());
  }

  start(): void {
    this.#usedUntil = Math.max(this.#usedUntil, performance.now()) + this.#intervalMs;
  }
}
