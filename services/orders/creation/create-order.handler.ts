import { Controller, Inject } from "@nestjs/common";
import { CreateOrder as CreateOrderRequest } from "../../../contracts/messages/orders.ts";
import { asError } from "../../platform/as-error.ts";
import { HandlesRequest, MustTravelAlone, type RequestContext } from "../../platform/handlers/decorators.ts";
import type { BookId } from "../../../contracts/ids/ids.ts";
import { Turns } from "../../platform/handlers/turns.ts";
import { MicroBatch } from "../../platform/runtime/micro-batch.ts";
import { lateRefusal } from "../../platform/handlers/deadline.ts";
import { BuildDraft, type CreateBody } from "./build-draft.ts";
import { type Answer, CreateOrdersBatch, type Creation, MustRunApart } from "./create-orders-batch.ts";

/**
 * Creates payment orders. Requests that arrive together share a transaction, and so do those that arrive while two
 * transactions run: under load one commit carries up to 64 orders with their keys, histories and commands.
 *
 * If a batch meets a lock, each of its books creates its orders one at a time, outside the batches, until one of them
 * succeeds. So a book whose rows another session has locked delays no other, and keeps one connection.
 */
@Controller()
export class CreateOrder {
  readonly #drafts: BuildDraft;
  readonly #batch: CreateOrdersBatch;
  readonly #batches: MicroBatch<Creation, Answer>;
  /** The books that met a lock, and have created no order since. */
  readonly #apart = new Set<BookId>();
  readonly #turns = new Turns<BookId>({ perKey: 1 });

  constructor(@Inject(BuildDraft) drafts: BuildDraft, @Inject(CreateOrdersBatch) batch: CreateOrdersBatch) {
    this.#drafts = drafts;
    this.#batch = batch;
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
    const creation = { body, request, draft };
    const { book } = request.caller;
    if (!this.#apart.has(book)) {
      const answer = await this.#batches.add(creation).catch((error: unknown) => asError(error));
      if (!(answer instanceof Error)) return answer;
      if (!(answer instanceof MustRunApart)) throw answer;
      this.#apart.add(book);
    }
    // The answers of a message's requests travel together: the others would wait for this one.
    if (request.isBatched === true) throw new MustTravelAlone();
    const answer = await this.#turns.run(book, () => this.#batch.createApart(creation));
    this.#apart.delete(book);
    return answer;
  }
}
