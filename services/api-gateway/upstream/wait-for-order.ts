import { Inject, Injectable } from "@nestjs/common";
import type { OrderStatus } from "../../../contracts/http/payments/payment-order-parts.ts";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import { GetOrder } from "../../../contracts/messages/orders.ts";
import type { HttpContext } from "../operation/http-context.ts";
import { ServiceClient } from "./service-client.ts";
import { waitUntil } from "./wait-until.ts";

const finalStatuses: ReadonlySet<OrderStatus> = new Set(["Completed", "Failed", "Returned", "Cancelled"]);

/**
 * True when nothing is under way that will soon change the order: it is a Draft, final, or Pending for approvals or a
 * window (the gate is tried in the commit that makes it Pending). Processing is not included: most rails answer within
 * seconds, and the caller chose how long to wait (docs/adr/0009).
 */
export function isAtRest(order: Pick<PaymentOrder, "status">): boolean {
  return order.status !== "Submitted" && order.status !== "Processing";
}

/** True when the order is final. A cancel waits for this: until its hold is released the order is still Pending. */
export function isFinal(order: Pick<PaymentOrder, "status">): boolean {
  return finalStatuses.has(order.status);
}

/** What `Prefer: wait=N` waits for, in the document. */
export const waitsForOrder =
  "`wait=N`: answer when the order is final, or Pending for approvals or a window, or after N seconds (10 at most). A cancel waits until the order is final. A repeat of an Idempotency-Key answers what was stored the first time, and does not wait: read the order by its id for its status.";

/** `Prefer: wait=N` for requests that change an order. */
@Injectable()
export class OrderWaiter {
  readonly #services: ServiceClient;

  constructor(@Inject(ServiceClient) services: ServiceClient) {
    this.#services = services;
  }

  until(
    http: HttpContext,
    order: PaymentOrder,
    done: (order: PaymentOrder) => boolean,
  ): Promise<PaymentOrder> {
    const read = (options: { deadlineMs: number }) =>
      this.#services.read(GetOrder, http, { id: order.id }, options);
    return waitUntil(http, order, { read, done });
  }
}
