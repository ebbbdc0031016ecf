import { Controller, Inject } from "@nestjs/common";
import { ApproveOrder as ApproveOrderRequest } from "../../../contracts/messages/orders.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { WithLockedOrder } from "./with-locked-order.ts";
import { approve } from "../order/approve.ts";

/** Records a principal's approval and, if approvals then suffice, evaluates the hand-off gate. */
@Controller()
export class ApproveOrder {
  readonly #orders: WithLockedOrder;

  constructor(@Inject(WithLockedOrder) orders: WithLockedOrder) {
    this.#orders = orders;
  }

  /** Refusals: `not_found`, `invalid_state_transition`, `self_approval_not_allowed`, `duplicate_approval`. */
  @HandlesRequest(ApproveOrderRequest)
  approve({ id }: { id: string }, request: RequestContext) {
    return this.#orders.run(id, request, "approve-order", (order, context) =>
      approve(order, request.caller.principal, context),
    );
  }
}
