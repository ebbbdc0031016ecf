/**
 * Spaces the starts of batches, so that each collects what arrives in between: a token bucket that gets one token per
 * interval. After idleness it is full, so the first few starts wait for nothing.
 */
export class Pace {
  readonly #intervalMs: number;
  readonly #burst: number;
  /** When the bucket will be full again. */
  #fullAt = -Infinity;

  /** `burst` is how many tokens the bucket holds. */
  constructor(intervalMs: number, burst = 1) {
    this.#intervalMs = intervalMs;
    this.#burst = burst;
  }

  /** How many milliseconds the next start must wait: at most one interval, and 0 if it may come now. */
  get waitMs(): number {
    const dueAt = this.#fullAt - (this.#burst - 1) * this.#intervalMs;
    return Math.max(0, dueAt - performance.now());
  }

  /** Takes a token. A large batch starts without waiting for one, and then the bucket is empty, not in debt. */
  start(): void {
    const now = performance.now();
    const fullAt = Math.max(this.#fullAt, now) + this.#intervalMs;
    this.#fullAt = Math.min(fullAt, now + this.#burst * this.#intervalMs);
  }
}
