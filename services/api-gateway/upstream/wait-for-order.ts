import { setTimeout as pause } from "node:timers/promises";
import { Inject, Injectable } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import type { OrderStatus } from "../../../contracts/http/payments/payment-order-parts.ts";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import { GetOrder } from "../../../contracts/messages/orders.ts";
import type { HttpContext } from "../routing/http-context.ts";
import { ServiceClient } from "./service-client.ts";
import { waitSecondsOf } from "../http/prefer.ts";

const terminal: ReadonlySet<OrderStatus> = new Set(["Completed", "Failed", "Returned", "Cancelled"]);
const firstPauseMs = 20;
const maxPauseMs = 200;

/**
 * True when nothing will happen to the order by itself: it is in Draft, terminal, or Pending (what is missing are
 * approvals or a window, for the gate is tried in the commit that makes it Pending). Processing is on its way: most
 * rails say within seconds how it ends, and the caller said how long to wait (docs/adr/0009).
 */
export function isWaitingForOthers(order: Pick<PaymentOrder, "status">): boolean {
  return order.status !== "Submitted" && order.status !== "Processing";
}

/** True when the order is over. What a cancel waits for: until its hold is released it is Pending still. */
export function isTerminal(order: Pick<PaymentOrder, "status">): boolean {
  return terminal.has(order.status);
}

/** `Prefer: wait=N` on what changes an order. */
@Injectable()
export class OrderWaiter {
  readonly #services: ServiceClient;

  constructor(@Inject(ServiceClient) services: ServiceClient) {
    this.#services = services;
  }

  /**
   * The order as soon as it is `done`, or as it stands when the seconds that the caller prefers have passed; the
   * order as given without that preference. Asks with growing pauses: 20 ms, then half as long again, to 200 ms.
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
      // Nobody reads the answer of a caller who has gone.
      if (http.reply.raw.destroyed) return latest;
      await pause(Math.min(pauseMs, leftMs));
      pauseMs = Math.min(pauseMs * 1.5, maxPauseMs);
      latest = await this.#readAgain(http, latest, Math.max(until - performance.now(), maxPauseMs));
    }
    return latest;
  }

  /** The write stands, whatever becomes of reading it again: a caller who was refused here would take it for undone. */
  async #readAgain(http: HttpContext, order: PaymentOrder, deadlineMs: number): Promise<PaymentOrder> {
    try {
      return await this.#services.read(GetOrder, http, { id: order.id }, { deadlineMs });
    } catch (error) {
      if (error instanceof Refusal) return order;
      throw error;
    }
  }
}
