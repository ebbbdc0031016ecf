import { Controller, Inject } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import { DenyOrder as DenyOrderRequest } from "../../../contracts/messages/orders.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { ActOnOrder } from "./with-locked-order.ts";
import { giveUp } from "../order/transition.ts";
import type { PaymentOrder } from "../order/payment-order.ts";

/** An approver's no: the order is cancelled, and its hold given back. */
@Controller()
export class DenyOrder {
  readonly #orders: ActOnOrder;

  constructor(@Inject(ActOnOrder) orders: ActOnOrder) {
    this.#orders = orders;
  }

  /**
   * Only an order that waits for approval can be denied. A maker may: a denial moves no money. Refusals: `not_found`,
   * `invalid_state_transition`.
   */
  @HandlesRequest(DenyOrderRequest)
  deny({ id, reason }: { id: string; reason: string }, ask: RequestContext) {
    return this.#orders.run(id, ask, "deny-order", (advance, world) => {
      refuseUnlessAwaitingApproval(advance.order);
      giveUp(advance, "Deny", world, { actor: ask.caller.principal, reason });
    });
  }
}

function refuseUnlessAwaitingApproval({ phase, status }: PaymentOrder): void {
  if (phase === "AwaitingApproval") return;
  const detail =
    phase === "AwaitingWindow"
      ? "This order has its approvals and waits for its rail's window. Cancel it instead."
      : phase === "ReleasingAsCancelled"
        ? "This order is being cancelled already. Nothing more is to be done."
        : `This order is ${status} and waits for no approval.`;
  throw new Refusal("invalid_state_transition", detail, {
    context: { currentStatus: status, allowedStatuses: ["Pending"] },
  });
}
