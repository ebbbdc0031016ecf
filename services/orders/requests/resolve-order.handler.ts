import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import { ResolveOrder as ResolveOrderRequest } from "../../../contracts/messages/orders.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import { WithLockedOrder } from "./with-locked-order.ts";
import { unchanged } from "../order/transition.ts";
import type { PaymentOrder } from "../order/payment-order.ts";
import {
  isConfirmedBy,
  refuseUnlessAtRail,
  resolve,
  type ResolutionVote,
} from "../order/manual-resolution.ts";
import { insertVote, latestVote } from "../store/resolution-votes.ts";

type Vote = z.output<typeof ResolveOrderRequest.data>;
type Answer = z.output<typeof ResolveOrderRequest.reply>;

/** Two operators resolve an order whose rail never answered: `npm run orders -- resolve`. */
@Controller()
export class ResolveOrder {
  readonly #orders: WithLockedOrder;
  readonly #cipher: SecretCipher;

  constructor(@Inject(WithLockedOrder) orders: WithLockedOrder, @Inject(SecretCipher) cipher: SecretCipher) {
    this.#orders = orders;
    this.#cipher = cipher;
  }

  /** Refusals: `not_found`, `invalid_state_transition`, `self_approval_not_allowed`, `invalid_field`. */
  @HandlesRequest(ResolveOrderRequest)
  async resolve({ id, ...cast }: Vote, request: RequestContext): Promise<Answer> {
    let answer: Answer | undefined;
    await this.#orders.run(id, request, "resolve-order", async (order, context, { sql }) => {
      refuseUnlessAtRail(order);
      this.#refuseSecrets(order, cast.evidence);
      const vote: ResolutionVote = { ...cast, at: context.realNow };
      const last = await latestVote(sql, order);
      const isResolved = isConfirmedBy(last, vote);
      await insertVote(sql, order, (last?.position ?? 0) + 1, vote);
      const transition = isResolved ? resolve(order, last, vote, context) : unchanged(order);
      answer = { resolution: isResolved ? "Resolved" : "Proposed", status: transition.order.status };
      return transition;
    });
    if (answer === undefined) {
      throw new Error(
        "The vote carried an Idempotency-Key: a stored answer was replayed and no vote was counted.",
      );
    }
    return answer;
  }

  /** The evidence is shown in the order's history, unencrypted. */
  #refuseSecrets({ terms: { counterpartyAccount } }: PaymentOrder, evidence: string): void {
    if (counterpartyAccount === null) return;
    if (!evidence.includes(this.#cipher.decrypt(counterpartyAccount))) return;
    const detail =
      "The evidence contains the account number. Leave it out: the order's history shows the evidence.";
    throw new Refusal("invalid_field", detail);
  }
}
