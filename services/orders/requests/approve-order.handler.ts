import { Controller, Inject } from "@nestjs/common";
import { ApproveOrder as ApproveOrderRequest } from "../../../contracts/messages/orders.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { ActOnOrder } from "./with-locked-order.ts";
import { giveApproval } from "../order/approve.ts";

/** Records a principal's approval and, when approvals suffice, opens the gate. */
@Controller()
export class ApproveOrder {
  readonly #orders: ActOnOrder;

  constructor(@Inject(ActOnOrder) orders: ActOnOrder) {
    this.#orders = orders;
  }

  /** Refusals: `not_found`, `invalid_state_transition`, `self_approval_not_allowed`, `duplicate_approval`. */
  @HandlesRequest(ApproveOrderRequest)
  approve({ id }: { id: string }, ask: RequestContext) {
    return this.#orders.run(id, ask, "approve-order", (advance, world) => {
      giveApproval(advance, ask.caller.principal, world);
    });
  }
}
