import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type { WebhookDelivery } from "../../../contracts/http/webhooks/webhooks.ts";
import { idOf, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { TestWebhookEndpoint } from "../../../contracts/messages/webhooks.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { readTimeIn } from "../../platform/clock/book-clocks.ts";
import {
  HandlesRequest,
  type IdempotentReplay,
  type RequestContext,
} from "../../platform/handlers/decorators.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { ProcessClock } from "../process-clock.ts";
import type { ResolvedEndpoint } from "../deliveries/domain/delivery.ts";
import { EndpointResolver } from "../deliveries/endpoint-resolver.ts";
import { getDelivery } from "../deliveries/query-deliveries.handler.ts";
import { DeliverySender } from "../deliveries/send-due-deliveries.worker.ts";
import { parseEndpointId } from "../endpoints/query-endpoints.handler.ts";
import { readEndpoint } from "../endpoints/store/endpoints.ts";
import { render } from "./domain/render.ts";
import { newLeasedDelivery } from "./planned-delivery.ts";
import { insertEvents } from "./store/events.ts";

const type = "test.event";
/** Whoever tests an endpoint wants one answer, now. A retry makes another attempt. */
const attemptsAllowed = 1;

/** Sends a `test.event` to one endpoint, whatever its types. */
@Controller()
export class TestEndpoint {
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
   * Returns the delivery as it is when its attempt starts. Refusals: `not_found`; `invalid_state_transition` for a
   * disabled endpoint; `idempotency_key_reused`.
   */
  @HandlesRequest(TestWebhookEndpoint)
  test(
    { id, secret }: z.output<typeof TestWebhookEndpoint.data>,
    context: RequestContext,
  ): Promise<WebhookDelivery | IdempotentReplay<WebhookDelivery>> {
    const operation = { name: "test-endpoint", resourceId: (delivery: WebhookDelivery) => delivery.id };
    return this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, async () => {
        const endpoint = await this.#enabled(unit, context, parseEndpointId(id));
        const deliveryId = await this.#send(unit, context, endpoint, secret === "Newest");
        return getDelivery(unit.sql, endpoint.book, deliveryId);
      }),
    );
  }

  async #enabled({ sql }: UnitOfWork, { caller }: RequestContext, id: string): Promise<ResolvedEndpoint> {
    const row = await readEndpoint(sql, uuidOf(caller.book), id);
    if (row === undefined) throw notFound("webhook endpoint");
    const endpoint = (await this.#endpoints.byId(sql, [id], this.#clock)).get(id);
    if (endpoint !== undefined) return endpoint;
    const resourceId = idOf("we", id);
    throw new Refusal(
      "invalid_state_transition",
      `The endpoint is Disabled, and nothing is sent to it. Enable it with PATCH /v1/webhook-endpoints/${resourceId}, then test it.`,
      { context: { resourceId, currentStatus: row.status, allowedStatuses: ["Enabled"] } },
    );
  }

  /** Inserts the event with its one delivery, which is sent after the commit. Returns the delivery's id. */
  async #send(
    unit: UnitOfWork,
    { caller }: RequestContext,
    endpoint: ResolvedEndpoint,
    newestSecretOnly: boolean,
  ): Promise<string> {
    const now = this.#clock.now();
    const { endpointId, book, apiVersion } = endpoint;
    const [id, eventId] = [newUuid(), newUuid()];
    const occurredAt = (await readTimeIn(unit.sql, caller.book, now)).toISOString();
    const body = render(idOf("evt", eventId), { type, occurredAt, dataFor: () => ({}) }, apiVersion);
    const isLeased = this.#sender.capacityFor(endpoint) > 0;
    const delivery = { id, eventId, endpointId, apiVersion, attemptsAllowed, isLeased, endpoint, body };
    const lease = this.#sender.newLease();
    // Each test is an event of the endpoint with a key of its own.
    const event = { uuid: eventId, book, type, objectId: idOf("we", endpointId), changeKey: eventId };
    await insertEvents(
      unit.sql,
      [{ ...event, sequence: 1, payload: JSON.stringify({ occurredAt }) }],
      { renderings: [{ eventId, apiVersion, body }], deliveries: [delivery], lease, newestSecretOnly },
      now,
    );
    unit.afterCommit(() => {
      if (isLeased) this.#sender.sendNew([newLeasedDelivery(delivery, lease, newestSecretOnly)]);
      else this.#sender.wake();
    });
    return id;
  }
}
