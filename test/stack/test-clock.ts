import { ProcessClock } from "../../services/webhooks/process-clock.ts";

/** The process clock of a test: it moves only by `advance` and `setBack`. Not the clock of a Test book. */
export class TestClock extends ProcessClock {
  #nowMs = Date.parse("2026-03-04T17:00:00.000Z");
  #elapsedMs = 0;
  readonly #timers = new Set<{ dueMs: number; act: () => void }>();

  now(): Date {
    return new Date(this.#nowMs);
  }

  elapsedMs(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, act: () => void): () => void {
    const timer = { dueMs: this.#elapsedMs + delayMs, act };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  advance(byMs: number): void {
    this.#nowMs += byMs;
    this.#elapsedMs += byMs;
    for (const timer of this.#timers) {
      if (timer.dueMs > this.#elapsedMs) continue;
      this.#timers.delete(timer);
      timer.act();
    }
  }

  /** As if somebody had set the host's clock: no time passes. */
  setBack(byMs: number): void {
    this.#nowMs -= byMs;
  }
}
