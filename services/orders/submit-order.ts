import { Controller, Inject } from "@nestjs/common";
import { Refusal } from "../../contracts/errors.ts";
import { SubmitOrder as SubmitOrderRequest } from "../../contracts/messages/orders.ts";
import { Answers, type Ask } from "../platform/messaging/decorators.ts";
import { ActOnOrder } from "./act-on-order.ts";
import { Submission } from "./submission.ts";

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
  @Answers(SubmitOrderRequest)
  submit({ id }: { id: string }, ask: Ask) {
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
      const usage = await this.#submission.lockUsage(sql, [advance.order], () => world);
      this.#submission.submit(advance, ask.caller.principal, world, usage);
    });
  }
}
