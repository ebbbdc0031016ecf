import type { BookId, PaymentOrderId } from "../../../contracts/ids/ids.ts";
import type { PaymentOrder } from "../order/payment-order.ts";
import { type FixedPart, fixedPartOf } from "./order-rows.ts";

/** Enough for some seconds of the highest load. Orders that wait for their rail count, too. An entry takes 2 KB. */
const maxOrders = 5_000;

/**
 * What can't change of the orders that this process read last, so that their next events read only the state. It needs
 * no invalidation: Postgres refuses to change the terms of an order that is not a Draft. A Draft is not kept.
 */
export class SubmittedTermsCache {
  /** Least recently used first. */
  readonly #orders = new Map<PaymentOrderId, FixedPart>();
  readonly #max: number;

  constructor(max = maxOrders) {
    this.#max = max;
  }

  get(book: BookId, id: PaymentOrderId): FixedPart | undefined {
    const order = this.#orders.get(id);
    if (order?.book !== book) return undefined;
    this.#orders.delete(id);
    this.#orders.set(id, order);
    return order;
  }

  /** Caches an order as a committed row has it. */
  add(order: PaymentOrder): void {
    if (order.phase === "Draft" || this.#orders.has(order.id)) return;
    this.#orders.set(order.id, fixedPartOf(order));
    for (const id of this.#orders.keys()) {
      if (this.#orders.size <= this.#max) break;
      this.#orders.delete(id);
    }
  }

  /** Call it when an order has ended. If a late event comes, the order is read again. */
  delete(id: PaymentOrderId): void {
    this.#orders.delete(id);
  }
}
