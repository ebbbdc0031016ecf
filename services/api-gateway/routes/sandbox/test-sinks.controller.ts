import { Body, Controller, Delete, Get, Inject, Param, Patch, Post, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { z } from "zod";
import type { Page } from "../../../../contracts/http/shapes.ts";
import {
  type TestSink,
  testSink,
  testSinkCreate,
  testSinkPage,
  type TestSinkPatch,
  testSinkPatch,
  testSinkQuery,
  type TestSinkRequest,
  testSinkRequestPage,
  type TestSinkRequestQuery,
  testSinkRequestQuery,
} from "../../../../contracts/http/webhooks/test-sinks.ts";
import {
  ClearTestSink,
  CreateTestSink,
  DeleteTestSink,
  GetTestSink,
  ListTestSinkRequests,
  ListTestSinks,
  UpdateTestSink,
} from "../../../../contracts/messages/webhooks.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { Operation } from "../../operation/operation.ts";
import { ServiceClient } from "../../upstream/service-client.ts";

const sinkId = { id: "sink" } as const;

/** How long one request to webhooks waits. After a caller has hung up, its last one waits no longer than this. */
const maxWaitMs = 2_000;
/** How long reading may take, after the wait. */
const readWithinMs = 5_000;

/** Test receivers for webhooks, inside the service. Each route sends a request to webhooks. */
@ApiTags("Test sinks")
@Controller("v1/test-sinks")
export class TestSinksController {
  readonly #services: ServiceClient;

  constructor(@Inject(ServiceClient) services: ServiceClient) {
    this.#services = services;
  }

  @Post()
  @Operation({
    id: "createTestSink",
    summary: "Create a test sink",
    access: "webhooks:write",
    takes: ["body"],
    writes: true,
    testKeysOnly: true,
    answers: { status: 201, schema: testSink, as: "The sink" },
    refusals: ["invalid_state_transition"],
  })
  async create(
    @Body({ schema: testSinkCreate }) body: z.infer<typeof testSinkCreate>,
    @Http() http: HttpContext,
  ): Promise<TestSink> {
    const { value: sink } = await this.#services.write(CreateTestSink, http, body);
    http.setLocation(`/v1/test-sinks/${sink.id}`);
    return sink;
  }

  @Get()
  @Operation({
    id: "listTestSinks",
    summary: "List test sinks",
    access: "webhooks:read",
    takes: ["query"],
    testKeysOnly: true,
    answers: { status: 200, schema: testSinkPage, as: "A page of sinks" },
  })
  async list(
    @Query({ schema: testSinkQuery }) query: z.infer<typeof testSinkQuery>,
    @Http() http: HttpContext,
  ): Promise<Page<TestSink>> {
    const page = await this.#services.read(ListTestSinks, http, query);
    http.linkTo(page);
    return page;
  }

  @Get(":id")
  @Operation({
    id: "getTestSink",
    summary: "Read a test sink",
    access: "webhooks:read",
    path: sinkId,
    answers: { status: 200, schema: testSink, as: "The sink" },
  })
  read(@Param("id") id: string, @Http() http: HttpContext): Promise<TestSink> {
    return this.#services.read(GetTestSink, http, { id });
  }

  @Patch(":id")
  @Operation({
    id: "updateTestSink",
    summary: "Change a test sink's script",
    access: "webhooks:write",
    path: sinkId,
    takes: ["body"],
    writes: true,
    answers: { status: 200, schema: testSink, as: "The sink" },
  })
  async update(
    @Param("id") id: string,
    @Body({ schema: testSinkPatch }) change: TestSinkPatch,
    @Http() http: HttpContext,
  ): Promise<TestSink> {
    const { value } = await this.#services.write(UpdateTestSink, http, { id, change });
    return value;
  }

  @Delete(":id")
  @Operation({
    id: "deleteTestSink",
    summary: "Delete a test sink",
    access: "webhooks:write",
    path: sinkId,
    writes: true,
    answers: { status: 204, as: "It is deleted" },
  })
  async delete(@Param("id") id: string, @Http() http: HttpContext): Promise<void> {
    await this.#services.write(DeleteTestSink, http, { id });
  }

  @Get(":id/requests")
  @Operation({
    id: "listTestSinkRequests",
    summary: "List a test sink's requests",
    access: "webhooks:read",
    path: sinkId,
    takes: ["query"],
    answers: { status: 200, schema: testSinkRequestPage, as: "A page of requests" },
  })
  async requests(
    @Param("id") id: string,
    @Query({ schema: testSinkRequestQuery }) query: TestSinkRequestQuery,
    @Http() http: HttpContext,
  ): Promise<Page<TestSinkRequest>> {
    const page = await this.#waitForRequests(id, query, http);
    http.linkTo(page);
    return page;
  }

  @Delete(":id/requests")
  @Operation({
    id: "clearTestSink",
    summary: "Delete a test sink's requests",
    access: "webhooks:write",
    path: sinkId,
    writes: true,
    answers: { status: 204, as: "They are deleted" },
  })
  async clear(@Param("id") id: string, @Http() http: HttpContext): Promise<void> {
    await this.#services.write(ClearTestSink, http, { id });
  }

  /** The page as soon as it has a request, or an empty one after the caller's `wait`. */
  async #waitForRequests(
    id: string,
    { wait = 0, ...query }: TestSinkRequestQuery,
    http: HttpContext,
  ): Promise<Page<TestSinkRequest>> {
    const until = performance.now() + wait * 1_000;
    for (;;) {
      const leftMs = Math.max(0, Math.ceil(until - performance.now()));
      const waitMs = Math.min(leftMs, maxWaitMs);
      const options = { deadlineMs: waitMs + readWithinMs };
      const page = await this.#services.read(ListTestSinkRequests, http, { id, ...query, waitMs }, options);
      if (page.data.length > 0 || waitMs === leftMs || http.reply.raw.destroyed) return page;
    }
  }
}
