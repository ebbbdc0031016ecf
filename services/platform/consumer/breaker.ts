/**
 * Tells bad messages from a bad deploy. Facts that fail alone, one after the other, with the same code and nothing
 * succeeding in between, are the code's fault: the consumer stops and calls somebody, and nothing is dead-lettered.
 */
export class Breaker {
  readonly #limit: number;
  #code: string | undefined;
  readonly #facts = new Set<string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** So many have failed alike that it is the code's fault. */
  get isOpen(): boolean {
    return this.#facts.size >= this.#limit;
  }

  succeeded(): void {
    this.#code = undefined;
    this.#facts.clear();
  }

  /** True when this failure makes it a bad deploy. */
  failedAlone(factId: string, code: string): boolean {
    if (code !== this.#code) {
      this.#code = code;
      this.#facts.clear();
    }
    this.#facts.add(factId);
    return this.isOpen;
  }
}
