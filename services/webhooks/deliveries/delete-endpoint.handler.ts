import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { idOf, uuidOf } from "../../../contracts/ids/ids.ts";
import { DeleteWebhookEndpoint } from "../../../contracts/messages/webhooks.ts";
import { notFound } from "../../../contracts/not-found.ts";
import {
  HandlesRequest,
  type RequestContext,
  type IdempotentReplay,
} from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { ProcessClock } from "../process-clock.ts";
import { parseEndpointId } from "../endpoints/query-endpoints.handler.ts";
import { markDeleted } from "../endpoints/store/endpoints.ts";
import { cancelOpen } from "./store/cancel-deliveries.ts";

type Deleted = z.output<typeof DeleteWebhookEndpoint.reply>;

/** `DeliverySender` cancels the rest of a longer backlog, so that the request stays short. */
const maxCancelledAtOnce = 10_000;

/**
 * Deletes an endpoint and cancels its open deliveries. An attempt that is under way ends and is recorded: if it is
 * acknowledged, the delivery is Delivered. `DeliverySender` cancels deliveries that an event adds at the same moment.
 */
@Controller()
export class DeleteEndpoint {
  readonly #units: UnitOfWorkRunner;
  readonly #clock: ProcessClock;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner, @Inject(ProcessClock) clock: ProcessClock) {
    this.#units = units;
    this.#clock = clock;
  }

  /** Refusals: `not_found`, also for an endpoint that was deleted before; `idempotency_key_reused`. */
  @HandlesRequest(DeleteWebhookEndpoint)
  delete(
    { id }: z.output<typeof DeleteWebhookEndpoint.data>,
    context: RequestContext,
  ): Promise<Deleted | IdempotentReplay<Deleted>> {
    const operation = { name: "delete-endpoint", resourceId: (deleted: Deleted) => deleted.id };
    return this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, async () => {
        const book = uuidOf(context.caller.book);
        const endpoint = parseEndpointId(id);
        const found = await markDeleted(unit.sql, book, endpoint, this.#clock.now());
        if (!found) throw notFound("webhook endpoint");
        await cancelOpen(unit.sql, book, endpoint, maxCancelledAtOnce);
        return { id: idOf("we", endpoint) };
      }),
    );
  }
}
