/**
 * Distinguishes bad messages from a bad deploy. If several messages in a row fail alone with the same error code, and
 * none succeeds in between, the code is at fault: the consumer halts and alerts, and nothing is dead-lettered.
 */
export class Breaker {
  readonly #limit: number;
  #code: string | undefined;
  readonly #messages = new Set<string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** True when so many messages have failed alike that the code must be at fault. */
  get isOpen(): boolean {
    return this.#messages.size >= this.#limit;
  }

  succeeded(): void {
    this.#code = undefined;
    this.#messages.clear();
  }

  /** Counts the failure; returns true when it opens the breaker. */
  failedAlone(messageId: string, code: string): boolean {
    if (code !== this.#code) {
      this.#code = code;
      this.#messages.clear();
    }
    this.#messages.add(messageId);
    return this.isOpen;
  }
}
