/** The plan's orders, sent in bursts of one size: one for each fault. */
import type { Backend } from "./backend.ts";
import type { PlannedOrder } from "./plan.ts";

export class Bursts {
  readonly #backend: Backend;
  readonly #orders: readonly PlannedOrder[];
  readonly #size: number;
  readonly #perSecond: number;
  readonly #sent: Promise<void>[] = [];

  constructor(backend: Backend, orders: readonly PlannedOrder[], size: number, perSecond: number) {
    this.#backend = backend;
    this.#orders = orders;
    this.#size = size;
    this.#perSecond = perSecond;
  }

  get count(): number {
    return this.#sent.length;
  }

  /** Sends the next orders of the plan. */
  send(): void {
    const from = this.#sent.length * this.#size;
    const sent = this.#backend.sendAll(this.#orders.slice(from, from + this.#size), this.#perSecond);
    this.#sent.push(sent);
    // `accepted` fails with the first that failed.
    sent.catch(() => undefined);
  }

  /** Resolves when all orders that were sent have been accepted. */
  async accepted(): Promise<void> {
    await Promise.all(this.#sent);
  }
}
