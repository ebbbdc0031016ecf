import { Controller, Inject } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import { CancelOrder as CancelOrderRequest } from "../../../contracts/messages/orders.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { ActOnOrder } from "./with-locked-order.ts";
import { giveUp } from "../order/transition.ts";
import { stepFor } from "../order/lifecycle.ts";
import type { Phase } from "../order/payment-order.ts";

/** Cancels an order wherever the lifecycle permits it: until it is handed to its rail. */
@Controller()
export class CancelOrder {
  readonly #orders: ActOnOrder;

  constructor(@Inject(ActOnOrder) orders: ActOnOrder) {
    this.#orders = orders;
  }

  /** Refusals: `not_found`, `order_not_cancellable`. */
  @HandlesRequest(CancelOrderRequest)
  cancel({ id, reason }: { id: string; reason?: string | undefined }, ask: RequestContext) {
    return this.#orders.run(id, ask, "cancel-order", (advance, world) => {
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
      const by = { actor: ask.caller.principal, reason: reason ?? "RequestedByTenant" };
      giveUp(advance, "Cancel", world, by);
    });
  }
}

function isBeingCancelled(phase: Phase): boolean {
  return phase === "CancellingBeforeHold" || phase === "ReleasingAsCancelled";
}
