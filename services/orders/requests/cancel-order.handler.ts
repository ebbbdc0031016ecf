import { Controller, Inject } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import { CancelOrder as CancelOrderRequest } from "../../../contracts/messages/orders.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { WithLockedOrder } from "./with-locked-order.ts";
import { abort } from "../order/transition.ts";
import { stepFor } from "../order/lifecycle.ts";
import type { Phase } from "../order/payment-order.ts";

/** Cancels an order wherever the lifecycle permits it: until it is handed to its rail. */
@Controller()
export class CancelOrder {
  readonly #orders: WithLockedOrder;

  constructor(@Inject(WithLockedOrder) orders: WithLockedOrder) {
    this.#orders = orders;
  }

  /** Refusals: `not_found`, `order_not_cancellable`. */
  @HandlesRequest(CancelOrderRequest)
  cancel({ id, reason }: { id: string; reason?: string | undefined }, request: RequestContext) {
    return this.#orders.run(id, request, "cancel-order", (advance, context) => {
      const { order } = advance;
      if (stepFor(order.phase, "Cancel") === undefined) {
        throw new Refusal(
          "order_not_cancellable",
          isBeingCancelled(order.phase)
            ? "This order is being cancelled already. Nothing more is to be done."
            : `This order is ${order.status}: it can be cancelled only before it is handed to its rail.`,
          { context: { currentStatus: order.status, allowedStatuses: ["Draft", "Submitted", "Pending"] } },
        );
      }
      const by = { actor: request.caller.principal, reason: reason ?? "RequestedByTenant" };
      abort(advance, "Cancel", context, by);
    });
  }
}

function isBeingCancelled(phase: Phase): boolean {
  return phase === "CancellingBeforeHold" || phase === "ReleasingAsCancelled";
}
