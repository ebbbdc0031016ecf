import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import type { WebhookDelivery } from "../../../contracts/http/webhooks/webhooks.ts";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { RetryDelivery } from "../../../contracts/messages/webhooks.ts";
import {
  HandlesRequest,
  type RequestContext,
  type IdempotentReplay,
} from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { Clock } from "../clock.ts";
import { deliveryOf, deliveryUuid } from "./query-deliveries.handler.ts";
import { DeliverySender, leased } from "./send-due-deliveries.worker.ts";
import { claimForRetry } from "./store/deliveries.ts";
import { Receivers } from "./endpoint-resolver.ts";

/** One more attempt at once, asked for by a person: also after the last failed, also after an acknowledgement. */
@Controller()
export class RetryDeliveryNow {
  readonly #units: UnitOfWorkRunner;
  readonly #receivers: Receivers;
  readonly #sender: DeliverySender;
  readonly #clock: Clock;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Receivers) receivers: Receivers,
    @Inject(DeliverySender) sender: DeliverySender,
    @Inject(Clock) clock: Clock,
  ) {
    this.#units = units;
    this.#receivers = receivers;
    this.#sender = sender;
    this.#clock = clock;
  }

  /** Answers the delivery as the attempt begins. Refusals: `not_found`, `idempotency_key_reused`. */
  @HandlesRequest(RetryDelivery)
  retry(
    { id }: z.output<typeof RetryDelivery.data>,
    ask: RequestContext,
  ): Promise<WebhookDelivery | IdempotentReplay<WebhookDelivery>> {
    const operation = { name: "retry-delivery", resourceId: (delivery: WebhookDelivery) => delivery.id };
    return this.#units.run((unit) =>
      withIdempotency(unit, ask, operation, async () => {
        const book = uuidOf(ask.caller.book);
        await this.#takeInHand(unit, book, deliveryUuid(id));
        return deliveryOf(unit.sql, book, deliveryUuid(id));
      }),
    );
  }

  /** Does nothing when an attempt is under way: that one is the attempt that was asked for. */
  async #takeInHand(unit: UnitOfWork, book: string, id: string): Promise<void> {
    const now = this.#clock.now();
    const lease = this.#sender.newLease();
    const row = await claimForRetry(unit.sql, book, id, lease, now);
    if (row === undefined) return;
    const receivers = await this.#receivers.byId(unit.sql, [row.endpoint_id], now);
    const delivery = leased(row, lease, receivers.get(row.endpoint_id));
    unit.afterCommit(() => this.#sender.send(delivery));
  }
}
