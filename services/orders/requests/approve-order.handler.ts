import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { ApproveOrder as ApproveOrderRequest } from "../../../contracts/messages/orders.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { recordApprovalRights } from "../approval-rights/record-approval-rights.ts";
import { WithLockedOrder } from "./with-locked-order.ts";
import { publishApproval } from "../lifecycle/publish-status.ts";
import { approve } from "../order/approve.ts";

/** Records a principal's approval and, if approvals then suffice, evaluates the hand-off gate. */
@Controller()
export class ApproveOrder {
  readonly #orders: WithLockedOrder;
  readonly #units: UnitOfWorkRunner;

  constructor(
    @Inject(WithLockedOrder) orders: WithLockedOrder,
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
  ) {
    this.#orders = orders;
    this.#units = units;
  }

  /**
   * Refusals: `not_found`, `invalid_state_transition`, `order_changed`, `self_approval_not_allowed`,
   * `duplicate_approval`.
   */
  @HandlesRequest(ApproveOrderRequest)
  async approve(
    { id, orderHash, right }: z.output<typeof ApproveOrderRequest.data>,
    request: RequestContext,
  ) {
    const { book, principal } = request.caller;
    // In a transaction of its own, because it locks the book's `gate_recheck`: a change of the policy locks orders
    // first and then that row, so with the order locked too they could deadlock. And the right is recorded whatever
    // becomes of the approval.
    if (right?.principal === principal)
      await this.#units.runFor(request, ({ sql }) => recordApprovalRights(sql, book, [right]));
    return this.#orders.run(id, request, "approve-order", (order, context, { outbox }) => {
      const transition = approve(order, principal, context, orderHash);
      // A change of the status publishes its own event.
      if (transition.events.length === 0) publishApproval(outbox, transition.order, request);
      return transition;
    });
  }
}
