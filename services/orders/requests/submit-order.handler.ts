import { Controller, Inject } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import { SubmitOrder as SubmitOrderRequest } from "../../../contracts/messages/orders.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { WithLockedOrder } from "./with-locked-order.ts";
import type { Transition } from "../order/transition.ts";
import { orderHash } from "../order/order-hash.ts";
import { setPayee } from "../order/payee.ts";
import { lookUpPayees } from "./payee-lookup.ts";
import { saveDraft } from "../store/drafts.ts";
import { Submission } from "./submit.ts";

/** Draft → Submitted, on the caller's word. */
@Controller()
export class SubmitOrder {
  readonly #orders: WithLockedOrder;
  readonly #submission: Submission;

  constructor(@Inject(WithLockedOrder) orders: WithLockedOrder, @Inject(Submission) submission: Submission) {
    this.#orders = orders;
    this.#submission = submission;
  }

  /** Refusals: `not_found`, `invalid_state_transition`, and every control of a submission. */
  @HandlesRequest(SubmitOrderRequest)
  submit({ id }: { id: string }, request: RequestContext) {
    return this.#orders.run(id, request, "submit-order", async (advance, context, sql) => {
      const { phase, status } = advance.order;
      if (phase !== "Draft") {
        throw new Refusal(
          "invalid_state_transition",
          `Only a Draft can be submitted; this order is ${status}.`,
          {
            context: { currentStatus: status, allowedStatuses: ["Draft"] },
          },
        );
      }
      await copyPayee(advance, sql);
      const usage = await this.#submission.lockUsage(sql, [advance.order], () => context);
      this.#submission.submit(advance, request.caller.principal, context, usage);
    });
  }
}

/** A counterparty may have changed since the draft was written: what freezes is what it is now. */
async function copyPayee(advance: Transition, sql: Sql): Promise<void> {
  const draft = advance.order;
  const payeeOf = await lookUpPayees(sql, [draft]);
  setPayee(advance, payeeOf(draft));
  if (orderHash(advance.order.terms) !== orderHash(draft.terms)) await saveDraft(sql, advance.order);
}
