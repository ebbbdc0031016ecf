import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import type { WebhookDelivery } from "../../../contracts/http/webhooks/webhooks.ts";
import { Refusal } from "../../../contracts/errors.ts";
import { idOf, uuidOf } from "../../../contracts/ids/ids.ts";
import { RetryDelivery } from "../../../contracts/messages/webhooks.ts";
import {
  HandlesRequest,
  type RequestContext,
  type IdempotentReplay,
} from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { ProcessClock } from "../process-clock.ts";
import { readEndpoint } from "../endpoints/store/endpoints.ts";
import { getDelivery, parseDeliveryId } from "./query-deliveries.handler.ts";
import { DeliverySender, toLeasedDelivery } from "./send-due-deliveries.worker.ts";
import { claimForRetry } from "./store/claim-for-retry.ts";
import { EndpointResolver } from "./endpoint-resolver.ts";

/** A manual retry: one more attempt, immediately, also of a dead-lettered or an acknowledged delivery. */
@Controller()
export class RetryDeliveryHandler {
  readonly #units: UnitOfWorkRunner;
  readonly #endpoints: EndpointResolver;
  readonly #sender: DeliverySender;
  readonly #clock: ProcessClock;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(EndpointResolver) endpoints: EndpointResolver,
    @Inject(DeliverySender) sender: DeliverySender,
    @Inject(ProcessClock) clock: ProcessClock,
  ) {
    this.#units = units;
    this.#endpoints = endpoints;
    this.#sender = sender;
    this.#clock = clock;
  }

  /**
   * Returns the delivery as it is when the attempt starts. Refusals: `not_found`; `invalid_state_transition` if its
   * endpoint is disabled or deleted; `idempotency_key_reused`.
   */
  @HandlesRequest(RetryDelivery)
  retry(
    { id }: z.output<typeof RetryDelivery.data>,
    context: RequestContext,
  ): Promise<WebhookDelivery | IdempotentReplay<WebhookDelivery>> {
    const operation = { name: "retry-delivery", resourceId: (delivery: WebhookDelivery) => delivery.id };
    return this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, async () => {
        const book = uuidOf(context.caller.book);
        await this.#claimAndSend(unit, book, parseDeliveryId(id));
        return getDelivery(unit.sql, book, parseDeliveryId(id));
      }),
    );
  }

  /** A retry that nobody sends would stay Retrying until somebody enables the endpoint. */
  async #refusal({ sql }: UnitOfWork, book: string, endpointId: string): Promise<Refusal> {
    const endpoint = await readEndpoint(sql, book, endpointId);
    const resourceId = idOf("we", endpointId);
    if (endpoint === undefined) {
      return new Refusal(
        "invalid_state_transition",
        "The endpoint of this delivery was deleted, and nothing is sent to it any more. Create an endpoint: it gets the events from then on.",
        { context: { resourceId } },
      );
    }
    return new Refusal(
      "invalid_state_transition",
      `The endpoint of this delivery is Disabled. Enable it with PATCH /v1/webhook-endpoints/${resourceId}, then retry.`,
      { context: { resourceId, currentStatus: endpoint.status, allowedStatuses: ["Enabled"] } },
    );
  }

  /** Does nothing while an attempt is in flight: that attempt counts as the retry. */
  async #claimAndSend(unit: UnitOfWork, book: string, id: string): Promise<void> {
    const now = this.#clock.now();
    const lease = this.#sender.newLease();
    const row = await claimForRetry(unit.sql, book, id, lease, now);
    if (row === undefined) return;
    const found = await this.#endpoints.byId(unit.sql, [row.endpoint_id], this.#clock);
    const endpoint = found.get(row.endpoint_id);
    if (endpoint === undefined) throw await this.#refusal(unit, book, row.endpoint_id);
    unit.afterCommit(() => this.#sender.send(toLeasedDelivery(row, lease, endpoint)));
  }
}
