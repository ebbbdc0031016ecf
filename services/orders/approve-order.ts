import { Controller, Inject } from "@nestjs/common";
import { Refusal } from "../../contracts/errors.ts";
import { ApproveOrder as ApproveOrderRequest } from "../../contracts/messages/orders.ts";
import { Answers, type Ask } from "../platform/messaging/decorators.ts";
import { ActOnOrder } from "./act-on-order.ts";
import { type Advance, passGate } from "./domain/advance.ts";
import { type ApprovalPolicy, makerMayApprove } from "./domain/approval-policy.ts";
import type { Phase } from "./domain/payment-order.ts";

/** An approval may be given before the hold is placed; it counts when the gate is reached. */
const approvable: readonly Phase[] = ["ReservingFunds", "AwaitingApproval"];

/** Records a principal's approval and, when approvals suffice, opens the gate. */
@Controller()
export class ApproveOrder {
  readonly #orders: ActOnOrder;

  constructor(@Inject(ActOnOrder) orders: ActOnOrder) {
    this.#orders = orders;
  }

  /** Refusals: `not_found`, `invalid_state_transition`, `self_approval_not_allowed`, `duplicate_approval`. */
  @Answers(ApproveOrderRequest)
  approve({ id }: { id: string }, ask: Ask) {
    const { principal } = ask.caller;
    return this.#orders.run(id, ask, "approve-order", (advance, world) => {
      checkApproval(advance, principal, world.policy);
      const { progress } = advance.order;
      const approvals = [...progress.approvals, { principal, at: world.now.toISOString() }];
      advance.order = { ...advance.order, updatedAt: world.now, progress: { ...progress, approvals } };
      if (advance.order.phase === "AwaitingApproval") passGate(advance, world);
    });
  }
}

function checkApproval({ order }: Advance, principal: string, policy: ApprovalPolicy): void {
  const { approvals, approvalsRequired, makers } = order.progress;
  const context = { currentStatus: order.status, required: approvalsRequired, received: approvals.length };
  // The same principal twice is told so whatever has become of the order since.
  if (approvals.some((approval) => approval.principal === principal)) {
    throw new Refusal(
      "duplicate_approval",
      `${principal} has approved this order already; another principal must.`,
      {
        context,
      },
    );
  }
  if (!approvable.includes(order.phase) || approvals.length >= approvalsRequired) {
    throw new Refusal(
      "invalid_state_transition",
      `This order is ${order.status} and waits for no approval.`,
      {
        context: { ...context, allowedStatuses: ["Submitted", "Pending"] },
      },
    );
  }
  if (makers.includes(principal) && !makerMayApprove(approvalsRequired, policy)) {
    throw new Refusal(
      "self_approval_not_allowed",
      `${principal} made this order, so another principal must approve it.`,
      { context },
    );
  }
}
