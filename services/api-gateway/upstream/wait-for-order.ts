import { setTimeout as pause } from "node:timers/promises";
import { Inject, Injectable } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import type { OrderStatus } from "../../../contracts/http/payments/payment-order-parts.ts";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import { GetOrder } from "../../../contracts/messages/orders.ts";
import type { HttpContext } from "../operation/http-context.ts";
import { ServiceClient } from "./service-client.ts";
import { waitSecondsOf } from "../http/prefer.ts";

const terminal: ReadonlySet<OrderStatus> = new Set(["Completed", "Failed", "Returned", "Cancelled"]);
const firstPauseMs = 20;
const maxPauseMs = 200;

/**
 * True when nothing is under way that will soon change the order: it is a Draft, final, or Pending for approvals or a
 * window (the gate is tried in the commit that makes it Pending). Processing is not included: most rails answer within
 * seconds, and the caller chose how long to wait (docs/adr/0009).
 */
export function isAtRest(order: Pick<PaymentOrder, "status">): boolean {
  return order.status !== "Submitted" && order.status !== "Processing";
}

/** True when the order is final. A cancel waits for this: until its hold is released the order is still Pending. */
export function isTerminal(order: Pick<PaymentOrder, "status">): boolean {
  return terminal.has(order.status);
}

/** `Prefer: wait=N` for requests that change an order. */
@Injectable()
export class OrderWaiter {
  readonly #services: ServiceClient;

  constructor(@Inject(ServiceClient) services: ServiceClient) {
    this.#services = services;
  }

  /**
   * Returns the order as soon as it is `done`, or as it is when the caller's preferred wait is over; without a
   * preference at once. Reads it again after 20 ms, then after pauses that grow by half, up to 200 ms.
   */
  async until(
    http: HttpContext,
    order: PaymentOrder,
    done: (order: PaymentOrder) => boolean,
  ): Promise<PaymentOrder> {
    const seconds = waitSecondsOf(http.request.headers.prefer);
    if (seconds === undefined) return order;
    http.reply.header("preference-applied", `wait=${String(seconds)}`);
    const until = performance.now() + seconds * 1_000;
    let latest = order;
    let pauseMs = firstPauseMs;
    for (let leftMs = seconds * 1_000; leftMs > 0 && !done(latest); leftMs = until - performance.now()) {
      // The caller has disconnected: nobody would read the answer.
      if (http.reply.raw.destroyed) return latest;
      await pause(Math.min(pauseMs, leftMs));
      pauseMs = Math.min(pauseMs * 1.5, maxPauseMs);
      latest = await this.#readAgain(http, latest, Math.max(until - performance.now(), maxPauseMs));
    }
    return latest;
  }

  /** The write has succeeded: a refusal to read the order again must not look like a failed write. */
  async #readAgain(http: HttpContext, order: PaymentOrder, deadlineMs: number): Promise<PaymentOrder> {
    try {
      return await this.#services.read(GetOrder, http, { id: order.id }, { deadlineMs });
    } catch (error) {
      if (error instanceof Refusal) return order;
      throw error;
    }
  }
}
