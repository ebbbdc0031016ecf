import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import type { Page } from "../../../contracts/http/shapes.ts";
import type { TestSink, TestSinkRequest } from "../../../contracts/http/webhooks/test-sinks.ts";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { GetTestSink, ListTestSinkRequests, ListTestSinks } from "../../../contracts/messages/webhooks.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { numberAfter, pageOfRows, uuidAfter } from "../../platform/persistence/page.ts";
import { CONFIG, sinkBaseUrl, type WebhooksConfig } from "../config.ts";
import { parseSinkId, requireTestMode } from "./manage-test-sinks.handler.ts";
import { SinkWatch } from "./sink-watch.ts";
import { listRequests, listRequestsAfter, toRequest } from "./store/sink-requests.ts";
import { listSinks, readSink, type SinkRow, toSink } from "./store/test-sinks.ts";

/** Shows a book's test sinks and what they received. */
@Controller()
export class QueryTestSinks {
  readonly #database: Database;
  readonly #watch: SinkWatch;
  readonly #baseUrl: string;

  constructor(
    @Inject(Database) database: Database,
    @Inject(SinkWatch) watch: SinkWatch,
    @Inject(CONFIG) config: WebhooksConfig,
  ) {
    this.#database = database;
    this.#watch = watch;
    this.#baseUrl = sinkBaseUrl(config);
  }

  /** Newest first. Refusals: `simulation_requires_test_key`, `invalid_cursor`, `cursor_filter_mismatch`. */
  @HandlesRequest(ListTestSinks)
  async list(query: z.output<typeof ListTestSinks.data>, context: RequestContext): Promise<Page<TestSink>> {
    requireTestMode(context);
    const asked = { ...query, list: "test-sinks" };
    const book = uuidOf(context.caller.book);
    const rows = await listSinks(this.#database.sql, book, uuidAfter(asked), query.limit);
    return pageOfRows(
      rows,
      query.limit,
      (row) => toSink(row, this.#baseUrl),
      (row) => row.id,
      asked,
    );
  }

  /** Refusals: `not_found`. */
  @HandlesRequest(GetTestSink)
  async get({ id }: z.output<typeof GetTestSink.data>, context: RequestContext): Promise<TestSink> {
    return toSink(await this.#read(id, context), this.#baseUrl);
  }

  /**
   * Newest first; with `after` oldest first, from the request after that one on. An empty page waits for a request.
   * Refusals: `not_found`, `invalid_cursor`, `cursor_filter_mismatch`.
   */
  @HandlesRequest(ListTestSinkRequests)
  async listRequests(
    { waitMs = 0, ...query }: z.output<typeof ListTestSinkRequests.data>,
    context: RequestContext,
  ): Promise<Page<TestSinkRequest>> {
    const sink = await this.#read(query.id, context);
    const page = await this.#page(sink, query);
    if (page.data.length > 0 || waitMs === 0) return page;
    await this.#watch.next(sink.id, sink.received, waitMs);
    return this.#page(sink, query);
  }

  async #page(
    sink: SinkRow,
    query: Omit<z.output<typeof ListTestSinkRequests.data>, "waitMs">,
  ): Promise<Page<TestSinkRequest>> {
    const { sql } = this.#database;
    const asked = { ...query, list: "test-sink-requests" };
    const last = numberAfter(asked);
    const rows =
      query.after === undefined
        ? await listRequests(sql, sink.id, last, query.limit)
        : await listRequestsAfter(sql, sink.id, last ?? String(query.after), query.limit);
    return pageOfRows(rows, query.limit, toRequest, (row) => String(row.number), asked);
  }

  async #read(id: string, { caller }: RequestContext): Promise<SinkRow> {
    const sink = await readSink(this.#database.sql, uuidOf(caller.book), parseSinkId(id));
    if (sink === undefined) throw notFound("test sink");
    return sink;
  }
}
