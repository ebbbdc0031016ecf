import { Controller, Inject } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import { DenyOrder as DenyOrderRequest } from "../../../contracts/messages/orders.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { WithLockedOrder } from "./with-locked-order.ts";
import { lacksApprovals } from "../order/approvals.ts";
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
   * Only an order that waits for approval can be denied, and only once its hold is placed: a denial releases the hold.
   * An approval needs no hold, so it can come earlier (`approve`). A maker may deny the order too, because a denial
   * moves no money. Refusals: `not_found`, `invalid_state_transition`.
   */
  @HandlesRequest(DenyOrderRequest)
  deny({ id, reason }: { id: string; reason: string }, request: RequestContext) {
    return this.#orders.run(id, request, "deny-order", (order, context) => {
      refuseUnlessAwaitingApproval(order);
      return cancelOrDeny(order, "Deny", context, { actor: request.caller.principal, reason });
    });
  }
}

function refuseUnlessAwaitingApproval(order: PaymentOrder): void {
  if (order.phase === "AwaitingApproval") return;
  throw new Refusal("invalid_state_transition", reasonNotDeniable(order), {
    context: { currentStatus: order.status, allowedStatuses: ["Pending"] },
  });
}

function reasonNotDeniable({ phase, status, progress }: PaymentOrder): string {
  if (phase === "AwaitingWindow") {
    return "This order has its approvals and waits for its rail's window. Cancel it instead.";
  }
  if (phase === "ReleasingAsCancelled" || phase === "CancellingBeforeHold") {
    return "This order is already being cancelled.";
  }
  if (phase === "ReservingFunds" && lacksApprovals(progress.approvals)) {
    return "This order is Submitted: its money is not held yet. Deny it once it is Pending, or cancel it.";
  }
  return `This order is ${status} and waits for no approval.`;
}
