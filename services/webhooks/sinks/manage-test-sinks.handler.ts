import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type { Page } from "../../../contracts/http/shapes.ts";
import type { TestSink, TestSinkRequest } from "../../../contracts/http/webhooks/webhooks.ts";
import { idOf, isId, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { CreateTestSink, ListTestSinkRequests } from "../../../contracts/messages/webhooks.ts";
import { notFound } from "../../../contracts/not-found.ts";
import {
  HandlesRequest,
  type RequestContext,
  type IdempotentReplay,
} from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { Database } from "../../platform/persistence/database.ts";
import { numberAfter, pageOfRows } from "../../platform/persistence/page.ts";
import { Clock } from "../clock.ts";
import { CONFIG, sinkBaseUrl, type WebhooksConfig } from "../config.ts";
import { insertSink, listRequests, readSink, toRequest, toSink } from "./store/test-sinks.ts";

/** A tenant creates test sinks and lists what they received. `receive-in-sink.controller.ts` receives. */
@Controller()
export class ManageTestSinks {
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #config: WebhooksConfig;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(CONFIG) config: WebhooksConfig,
  ) {
    this.#units = units;
    this.#database = database;
    this.#clock = clock;
    this.#config = config;
  }

  /** Refusals: `simulation_requires_test_key`, `idempotency_key_reused`. */
  @HandlesRequest(CreateTestSink)
  create(
    data: z.output<typeof CreateTestSink.data>,
    context: RequestContext,
  ): Promise<TestSink | IdempotentReplay<TestSink>> {
    if (context.caller.mode !== "Test") {
      throw new Refusal(
        "simulation_requires_test_key",
        "Test sinks exist only in Test mode. Use a test key.",
      );
    }
    const operation = { name: "create-test-sink", resourceId: (sink: TestSink) => sink.id };
    return this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, async () => {
        const row = {
          id: newUuid(),
          book_id: uuidOf(context.caller.book),
          respond: data.respond,
          delay_ms: data.delayMs,
          created_at: this.#clock.now(),
        };
        await insertSink(unit.sql, row);
        return toSink(row, `${sinkBaseUrl(this.#config)}/sinks/${idOf("sink", row.id)}`);
      }),
    );
  }

  /** Newest first. Refusals: `not_found`, `invalid_cursor`, `cursor_filter_mismatch`. */
  @HandlesRequest(ListTestSinkRequests)
  async list(
    query: z.output<typeof ListTestSinkRequests.data>,
    { caller }: RequestContext,
  ): Promise<Page<TestSinkRequest>> {
    const { sql } = this.#database;
    const sink = isId("sink", query.id)
      ? await readSink(sql, uuidOf(caller.book), uuidOf(query.id))
      : undefined;
    if (sink === undefined) throw notFound("test sink");
    const asked = { ...query, list: "test-sink-requests" };
    const rows = await listRequests(sql, sink.id, numberAfter(asked), query.limit);
    return pageOfRows(rows, query.limit, toRequest, (row) => String(row.number), asked);
  }
}
