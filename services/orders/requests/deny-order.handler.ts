import { Controller, Inject } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import { DenyOrder as DenyOrderRequest } from "../../../contracts/messages/orders.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { WithLockedOrder } from "./with-locked-order.ts";
import { cancelOrDeny } from "../order/transition.ts";
import type { PaymentOrder } from "../order/payment-order.ts";

/** An approver rejects an order: it is cancelled, and its hold is released. */
@Controller()
export class DenyOrder {
  readonly #orders: WithLockedOrder;

  constructor(@Inject(WithLockedOrder) orders: WithLockedOrder) {
    this.#orders = orders;
  }

  /**
   * Only an order that waits for approval can be denied. A maker may deny it too, because a denial moves no money.
   * Refusals: `not_found`, `invalid_state_transition`.
   */
  @HandlesRequest(DenyOrderRequest)
  deny({ id, reason }: { id: string; reason: string }, request: RequestContext) {
    return this.#orders.run(id, request, "deny-order", (order, context) => {
      refuseUnlessAwaitingApproval(order);
      return cancelOrDeny(order, "Deny", context, { actor: request.caller.principal, reason });
    });
  }
}

function refuseUnlessAwaitingApproval({ phase, status }: PaymentOrder): void {
  if (phase === "AwaitingApproval") return;
  const detail =
    phase === "AwaitingWindow"
      ? "This order has its approvals and waits for its rail's window. Cancel it instead."
      : phase === "ReleasingAsCancelled" || phase === "CancellingBeforeHold"
        ? "This order is already being cancelled."
        : `This order is ${status} and waits for no approval.`;
  throw new Refusal("invalid_state_transition", detail, {
    context: { currentStatus: status, allowedStatuses: ["Pending"] },
  });
}
