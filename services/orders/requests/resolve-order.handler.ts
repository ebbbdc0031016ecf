import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import { ResolveOrder as ResolveOrderRequest } from "../../../contracts/messages/orders.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import { WithLockedOrder } from "./with-locked-order.ts";
import { type Transition, unchanged } from "../order/transition.ts";
import type { BookContext } from "../order/book-context.ts";
import type { PaymentOrder } from "../order/payment-order.ts";
import {
  isConfirmedBy,
  refuseToFailIfSentBack,
  refuseUnlessAtRail,
  resolve,
  type ResolutionVote,
} from "../order/manual-resolution.ts";
import type { LifecycleEvent } from "../lifecycle/event-to-trigger.ts";
import { EventsOfOrder } from "../lifecycle/events-of-order.ts";
import { UnappliedEvents } from "../lifecycle/unapplied-events.ts";
import { readDeferred } from "../store/deferred-events.ts";
import { insertVote, latestVote } from "../store/resolution-votes.ts";

/** As `4111 2222-3333.4444` is one number. */
const withoutSeparators = (text: string) => text.replaceAll(/[\s.-]/g, "");

type Vote = z.output<typeof ResolveOrderRequest.data>;
type Answer = z.output<typeof ResolveOrderRequest.reply>;

/** Two operators resolve an order whose rail never answered: `npm run orders -- resolve`. */
@Controller()
export class ResolveOrder {
  readonly #orders: WithLockedOrder;
  readonly #cipher: SecretCipher;
  readonly #unapplied: UnappliedEvents;

  constructor(
    @Inject(WithLockedOrder) orders: WithLockedOrder,
    @Inject(SecretCipher) cipher: SecretCipher,
    @Inject(UnappliedEvents) unapplied: UnappliedEvents,
  ) {
    this.#orders = orders;
    this.#cipher = cipher;
    this.#unapplied = unapplied;
  }

  /** Refusals: `not_found`, `invalid_state_transition`, `self_approval_not_allowed`, `invalid_field`. */
  @HandlesRequest(ResolveOrderRequest)
  async resolve({ id, ...cast }: Vote, request: RequestContext): Promise<Answer> {
    let answer: Answer | undefined;
    await this.#orders.run(id, request, "resolve-order", async (order, context, unit) => {
      const { sql } = unit;
      refuseUnlessAtRail(order);
      refuseToFailIfSentBack(order, cast.as);
      this.#refuseSecrets(order, cast.evidence);
      const vote: ResolutionVote = { ...cast, at: context.realNow };
      const last = await latestVote(sql, order);
      const isResolved = isConfirmedBy(last, vote);
      await insertVote(sql, order, (last?.position ?? 0) + 1, vote);
      const transition = isResolved
        ? await this.#withDeferredEvents(resolve(order, last, vote, context), order, context, unit)
        : unchanged(order);
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

  /** The resolution, followed by the events that were deferred until it, such as a return that came first. */
  async #withDeferredEvents(
    resolved: Transition,
    order: PaymentOrder,
    context: BookContext,
    unit: UnitOfWork,
  ): Promise<Transition> {
    const deferred = await readDeferred(unit.sql, [order]);
    const eventsOfOrder = new EventsOfOrder(order, deferred as LifecycleEvent[], context);
    eventsOfOrder.take(resolved);
    this.#unapplied.save(unit, [eventsOfOrder]);
    return eventsOfOrder.result.transition;
  }

  /** The evidence is shown in the order's history, unencrypted. */
  #refuseSecrets({ terms: { counterpartyAccount } }: PaymentOrder, evidence: string): void {
    if (counterpartyAccount === null) return;
    const accountNumber = withoutSeparators(this.#cipher.decrypt(counterpartyAccount));
    if (!withoutSeparators(evidence).includes(accountNumber)) return;
    const detail =
      "The evidence contains the account number. Leave it out: the order's history shows the evidence.";
    throw new Refusal("invalid_field", detail);
  }
}
