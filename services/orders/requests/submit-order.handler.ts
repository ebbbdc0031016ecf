import { Controller, Inject } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import { SubmitOrder as SubmitOrderRequest } from "../../../contracts/messages/orders.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { ActOnOrder } from "./with-locked-order.ts";
import type { Advance } from "../order/transition.ts";
import { orderHash } from "../order/order-hash.ts";
import { namePayee } from "../order/payee.ts";
import { payeesOf } from "./payee-lookup.ts";
import { saveDraft } from "../store/drafts.ts";
import { Submission } from "./submit.ts";

/** Draft → Submitted, on the caller's word. */
@Controller()
export class SubmitOrder {
  readonly #orders: ActOnOrder;
  readonly #submission: Submission;

  constructor(@Inject(ActOnOrder) orders: ActOnOrder, @Inject(Submission) submission: Submission) {
    this.#orders = orders;
    this.#submission = submission;
  }

  /** Refusals: `not_found`, `invalid_state_transition`, and every control of a submission. */
  @HandlesRequest(SubmitOrderRequest)
  submit({ id }: { id: string }, ask: RequestContext) {
    return this.#orders.run(id, ask, "submit-order", async (advance, world, sql) => {
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
      const usage = await this.#submission.lockUsage(sql, [advance.order], () => world);
      this.#submission.submit(advance, ask.caller.principal, world, usage);
    });
  }
}

/** A counterparty may have changed since the draft was written: what freezes is what it is now. */
async function copyPayee(advance: Advance, sql: Sql): Promise<void> {
  const draft = advance.order;
  const payeeOf = await payeesOf(sql, [draft]);
  namePayee(advance, payeeOf(draft));
  if (orderHash(advance.order.frozen) !== orderHash(draft.frozen)) await saveDraft(sql, advance.order);
}
