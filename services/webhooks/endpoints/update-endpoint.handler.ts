import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import type { WebhookEndpoint } from "../../../contracts/http/webhooks/webhooks.ts";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { UpdateWebhookEndpoint } from "../../../contracts/messages/webhooks.ts";
import { notFound } from "../../../contracts/not-found.ts";
import {
  HandlesRequest,
  type RequestContext,
  type IdempotentReplay,
} from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { parseEndpointId } from "./query-endpoints.handler.ts";
import { toEndpoint, updateStatus } from "./store/endpoints.ts";

/** Enables or disables an endpoint. The open deliveries of a disabled one are not claimed, and wait as they are. */
@Controller()
export class UpdateEndpoint {
  readonly #units: UnitOfWorkRunner;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner) {
    this.#units = units;
  }

  /** Refusals: `not_found`, `idempotency_key_reused`. */
  @HandlesRequest(UpdateWebhookEndpoint)
  update(
    { id, change }: z.output<typeof UpdateWebhookEndpoint.data>,
    context: RequestContext,
  ): Promise<WebhookEndpoint | IdempotentReplay<WebhookEndpoint>> {
    const operation = { name: "update-endpoint", resourceId: (endpoint: WebhookEndpoint) => endpoint.id };
    return this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, async () => {
        const book = uuidOf(context.caller.book);
        const row = await updateStatus(unit.sql, book, parseEndpointId(id), change.status);
        if (row === undefined) throw notFound("webhook endpoint");
        return toEndpoint(row);
      }),
    );
  }
}
