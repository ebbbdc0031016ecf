/** Spaces the starts of batches: each collects what arrives in between, and the first after idleness starts at once. */
export class Pace {
  readonly #intervalMs: number;
  #startedAt = -Infinity;

  /** `intervalMs` is the least time from one start to the next. */
  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** How many milliseconds the next start must wait; 0 if it may come now. */
  get waitMs(): number {
    return Math.max(0, this.#startedAt + this.#intervalMs - performance.now());
  }

  start(): void {
    this.#startedAt = performance.now();
  }
}
