import { Controller, Inject } from "@nestjs/common";
import { CreateOrder as CreateOrderRequest } from "../../../contracts/messages/orders.ts";
import { asError } from "../../platform/as-error.ts";
import { HandlesRequest, MustTravelAlone, type RequestContext } from "../../platform/handlers/decorators.ts";
import { MicroBatch } from "../../platform/runtime/micro-batch.ts";
import { lateRefusal } from "../../platform/handlers/deadline.ts";
import { BuildDraft, type CreateBody } from "./build-draft.ts";
import { type Answer, CreateOrdersBatch, type Creation } from "./create-orders-batch.ts";

/**
 * Creates payment orders. Requests that arrive while a transaction runs share the next one, so that under load one
 * commit carries up to 64 orders with their keys, histories and commands.
 */
@Controller()
export class CreateOrder {
  readonly #drafts: BuildDraft;
  readonly #batches: MicroBatch<Creation, Answer>;

  constructor(@Inject(BuildDraft) drafts: BuildDraft, @Inject(CreateOrdersBatch) batch: CreateOrdersBatch) {
    this.#drafts = drafts;
    this.#batches = new MicroBatch((creations) => batch.create(creations), {
      maxItems: 64,
      maxInFlight: 2,
      refuse: ({ request }) => lateRefusal(request),
    });
  }

  @HandlesRequest(CreateOrderRequest)
  async create(body: CreateBody, request: RequestContext): Promise<Answer> {
    // Before the batch: if the ledger must be asked for an account, only this caller waits for its answer.
    const draft = await this.#drafts.draft(body, request).catch((error: unknown) => asError(error));
    if (draft instanceof MustTravelAlone) throw draft;
    return this.#batches.add({ body, request, draft });
  }
}
