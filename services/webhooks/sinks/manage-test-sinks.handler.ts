import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type { TestSink } from "../../../contracts/http/webhooks/test-sinks.ts";
import { idOf, isId, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import {
  ClearTestSink,
  CreateTestSink,
  DeleteTestSink,
  UpdateTestSink,
} from "../../../contracts/messages/webhooks.ts";
import { notFound } from "../../../contracts/not-found.ts";
import {
  HandlesRequest,
  type RequestContext,
  type IdempotentReplay,
} from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { ProcessClock } from "../process-clock.ts";
import { CONFIG, sinkBaseUrl, type WebhooksConfig } from "../config.ts";
import { scriptOf } from "./domain/script.ts";
import {
  deleteRequests,
  deleteSink,
  insertSink,
  lockAndCountSinks,
  toSink,
  updateSink,
} from "./store/test-sinks.ts";

const maxSinksPerBook = 200;

type SinkId = z.output<typeof DeleteTestSink.reply>;

/**
 * A tenant creates, changes, clears and deletes test sinks. `receive-in-sink.controller.ts` receives, and
 * `query-test-sinks.handler.ts` shows what they received.
 */
@Controller()
export class ManageTestSinks {
  readonly #units: UnitOfWorkRunner;
  readonly #clock: ProcessClock;
  readonly #baseUrl: string;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(ProcessClock) clock: ProcessClock,
    @Inject(CONFIG) config: WebhooksConfig,
  ) {
    this.#units = units;
    this.#clock = clock;
    this.#baseUrl = sinkBaseUrl(config);
  }

  /**
   * Refusals: `simulation_requires_test_key`; `invalid_state_transition` if the book has the maximum of sinks;
   * `idempotency_key_reused`.
   */
  @HandlesRequest(CreateTestSink)
  create(
    data: z.output<typeof CreateTestSink.data>,
    context: RequestContext,
  ): Promise<TestSink | IdempotentReplay<TestSink>> {
    requireTestMode(context);
    const operation = { name: "create-test-sink", resourceId: (sink: TestSink) => sink.id };
    return this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, async () => {
        const book = uuidOf(context.caller.book);
        await rejectTooMany(unit, book);
        const sink = await insertSink(unit.sql, {
          id: newUuid(),
          book,
          script: scriptOf(data.respond),
          delayMs: data.delayMs,
          createdAt: this.#clock.now(),
        });
        return toSink(sink, this.#baseUrl);
      }),
    );
  }

  /** Refusals: `not_found`, `idempotency_key_reused`. */
  @HandlesRequest(UpdateTestSink)
  update(
    { id, change }: z.output<typeof UpdateTestSink.data>,
    context: RequestContext,
  ): Promise<TestSink | IdempotentReplay<TestSink>> {
    const operation = { name: "update-test-sink", resourceId: (sink: TestSink) => sink.id };
    return this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, async () => {
        const script = change.respond === undefined ? undefined : scriptOf(change.respond);
        const changed = { script, delayMs: change.delayMs };
        const sink = await updateSink(unit.sql, uuidOf(context.caller.book), parseSinkId(id), changed);
        if (sink === undefined) throw notFound("test sink");
        return toSink(sink, this.#baseUrl);
      }),
    );
  }

  /** Deletes what it received; its numbers and its script go on. Refusals: `not_found`, `idempotency_key_reused`. */
  @HandlesRequest(ClearTestSink)
  clear({ id }: z.output<typeof ClearTestSink.data>, context: RequestContext) {
    return this.#remove("clear-test-sink", id, context, () => Promise.resolve());
  }

  /** Refusals: `not_found`, `idempotency_key_reused`. */
  @HandlesRequest(DeleteTestSink)
  delete({ id }: z.output<typeof DeleteTestSink.data>, context: RequestContext) {
    return this.#remove("delete-test-sink", id, context, deleteSink);
  }

  #remove(
    name: string,
    id: string,
    context: RequestContext,
    andThen: typeof deleteSink,
  ): Promise<SinkId | IdempotentReplay<SinkId>> {
    const operation = { name, resourceId: (removed: SinkId) => removed.id };
    return this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, async () => {
        const [book, sink] = [uuidOf(context.caller.book), parseSinkId(id)];
        if (!(await deleteRequests(unit.sql, book, sink))) throw notFound("test sink");
        await andThen(unit.sql, book, sink);
        return { id: idOf("sink", sink) };
      }),
    );
  }
}

/** Concurrent requests can't exceed the limit together. */
async function rejectTooMany({ sql }: UnitOfWork, book: string): Promise<void> {
  if ((await lockAndCountSinks(sql, book)) < maxSinksPerBook) return;
  throw new Refusal(
    "invalid_state_transition",
    `This book has ${String(maxSinksPerBook)} test sinks, the maximum. Delete one, or change the script of one with PATCH.`,
    { context: { limit: maxSinksPerBook } },
  );
}

/** Refusals: `simulation_requires_test_key`. */
export function requireTestMode({ caller }: RequestContext): void {
  if (caller.mode === "Test") return;
  throw new Refusal("simulation_requires_test_key", "Test sinks exist only in Test mode. Use a test key.");
}

/** The stored id. Refusals: `not_found` for text that is not a sink's id. */
export function parseSinkId(id: string): string {
  if (!isId("sink", id)) throw notFound("test sink");
  return uuidOf(id);
}
