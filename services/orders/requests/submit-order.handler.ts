import { Controller, Inject } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import { SubmitOrder as SubmitOrderRequest } from "../../../contracts/messages/orders.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { WithLockedOrder } from "./with-locked-order.ts";
import { orderHash } from "../order/order-hash.ts";
import { withCounterpartyDetails } from "../order/counterparty-snapshot.ts";
import { lookUpCounterparties } from "../creation/counterparty-lookup.ts";
import { saveDraft } from "../store/drafts.ts";
import { Submission } from "../creation/submit.ts";

/** Submits a Draft. */
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
    return this.#orders.run(id, request, "submit-order", async (draft, context, { sql }) => {
      const { phase, status } = draft;
      if (phase !== "Draft") {
        throw new Refusal(
          "invalid_state_transition",
          `Only a Draft can be submitted; this order is ${status}.`,
          {
            context: { currentStatus: status, allowedStatuses: ["Draft"] },
          },
        );
      }
      const counterparty = (await lookUpCounterparties(sql, [draft]))(draft);
      // The counterparty may have changed since the Draft was written. Its current details are submitted.
      const named = withCounterpartyDetails(draft, counterparty);
      if (orderHash(named.terms) !== orderHash(draft.terms)) await saveDraft(sql, named);
      const usage = await this.#submission.lockUsage(sql, [named], () => context);
      return this.#submission.submit(
        named,
        { counterparty, principal: request.caller.principal },
        context,
        usage,
      );
    });
  }
}
