import { Controller, Get, Inject, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import {
  type RefusalSummary,
  refusalSummary,
  type RefusalSummaryQuery,
  refusalSummaryQuery,
  type RefusedRequest,
  refusedRequestPage,
  type RefusedRequestQuery,
  refusedRequestQuery,
} from "../../../contracts/http/refused-requests.ts";
import type { Page } from "../../../contracts/http/shapes.ts";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { Database } from "../../platform/persistence/database.ts";
import { pageOfRows, uuidAfter } from "../../platform/persistence/page.ts";
import { type HttpContext, Http } from "../operation/http-context.ts";
import { Operation } from "../operation/operation.ts";
import { listRefusedRequests, summarizeRefusals } from "./store/refused-requests.ts";

/** The book's refused requests of the last seven days. */
@ApiTags("Requests")
@Controller("v1/requests")
export class RequestsController {
  readonly #database: Database;

  constructor(@Inject(Database) database: Database) {
    this.#database = database;
  }

  @Get()
  @Operation({
    id: "listRequests",
    summary: "List refused requests",
    access: "webhooks:read",
    takes: ["query"],
    answers: { status: 200, schema: refusedRequestPage, as: "A page of refused requests" },
  })
  async list(
    @Query({ schema: refusedRequestQuery }) query: RefusedRequestQuery,
    @Http() http: HttpContext,
  ): Promise<Page<RefusedRequest>> {
    const asked = { ...query, list: "requests" };
    const rows = await listRefusedRequests(this.#database.sql, http.known, query, uuidAfter(asked));
    const answer = pageOfRows(
      rows,
      query.limit,
      (row) => row,
      ({ id }) => uuidOf(id),
      asked,
    );
    http.linkTo(answer);
    return answer;
  }

  @Get("summary")
  @Operation({
    id: "summarizeRequests",
    summary: "Count refused requests by code",
    access: "webhooks:read",
    takes: ["query"],
    answers: { status: 200, schema: refusalSummary, as: "The codes, the most frequent first" },
  })
  summary(
    @Query({ schema: refusalSummaryQuery }) query: RefusalSummaryQuery,
    @Http() http: HttpContext,
  ): Promise<RefusalSummary> {
    return summarizeRefusals(this.#database.sql, http.known, query);
  }
}
