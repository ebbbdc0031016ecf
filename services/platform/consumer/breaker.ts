/**
 * Tells bad messages from a bad deploy. Messages that fail alone, one after the other, with the same code and nothing
 * succeeding in between, are the code's fault: the consumer stops and calls somebody, and nothing is dead-lettered.
 */
export class Breaker {
  readonly #limit: number;
  #code: string | undefined;
  readonly #messages = new Set<string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** So many have failed alike that it is the code's fault. */
  get isOpen(): boolean {
    return this.#messages.size >= this.#limit;
  }

  succeeded(): void {
    this.#code = undefined;
    this.#messages.clear();
  }

  /** True when this failure makes it a bad deploy. */
  failedAlone(messageId: string, code: string): boolean {
    if (code !== this.#code) {
      this.#code = code;
      this.#messages.clear();
    }
    this.#messages.add(messageId);
    return this.isOpen;
  }
}
