import { Controller, Inject } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import { CancelOrder as CancelOrderRequest } from "../../../contracts/messages/orders.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { WithLockedOrder } from "./with-locked-order.ts";
import { cancelOrDeny } from "../order/transition.ts";
import { stepFor } from "../order/lifecycle.ts";
import type { Phase } from "../order/payment-order.ts";

/** Cancels an order that has not been handed to its rail. */
@Controller()
export class CancelOrder {
  readonly #orders: WithLockedOrder;

  constructor(@Inject(WithLockedOrder) orders: WithLockedOrder) {
    this.#orders = orders;
  }

  /** Refusals: `not_found`, `order_not_cancellable`. */
  @HandlesRequest(CancelOrderRequest)
  cancel({ id, reason }: { id: string; reason?: string | undefined }, request: RequestContext) {
    return this.#orders.run(id, request, "cancel-order", (order, context) => {
      if (stepFor(order.phase, "Cancel") === undefined) {
        throw new Refusal(
          "order_not_cancellable",
          isBeingCancelled(order.phase)
            ? "This order is already being cancelled."
            : `This order is ${order.status}. It can be cancelled only before it is handed to its rail.`,
          { context: { currentStatus: order.status, allowedStatuses: ["Draft", "Submitted", "Pending"] } },
        );
      }
      const by = { actor: request.caller.principal, reason: reason ?? "RequestedByTenant" };
      return cancelOrDeny(order, "Cancel", context, by);
    });
  }
}

function isBeingCancelled(phase: Phase): boolean {
  return phase === "CancellingBeforeHold" || phase === "ReleasingAsCancelled";
}
