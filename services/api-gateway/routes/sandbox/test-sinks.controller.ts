import { Body, Controller, Get, Inject, Param, Post, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import { z } from "zod";
import { type Page, pageQuery } from "../../../../contracts/http/shapes.ts";
import {
  type TestSink,
  testSink,
  testSinkCreate,
  type TestSinkRequest,
  testSinkRequestPage,
} from "../../../../contracts/http/webhooks/webhooks.ts";
import { CreateTestSink, ListTestSinkRequests } from "../../../../contracts/messages/webhooks.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { Operation } from "../../operation/operation.ts";
import { ServiceClient } from "../../upstream/service-client.ts";

const requestQuery = z.strictObject(pageQuery);

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
    answers: { status: 201, schema: testSink, as: "The sink" },
  })
  async create(
    @Body({ schema: testSinkCreate }) body: z.infer<typeof testSinkCreate>,
    @Http() http: HttpContext,
  ): Promise<TestSink> {
    const { value: sink } = await this.#services.write(CreateTestSink, http, body);
    // A sink has no GET route; a client reads the list of its requests.
    http.createdAt(`/v1/test-sinks/${sink.id}/requests`);
    return sink;
  }

  @Get(":id/requests")
  @Operation({
    id: "listTestSinkRequests",
    summary: "List a test sink's requests",
    access: "webhooks:read",
    path: { id: "sink" },
    takes: ["query"],
    answers: { status: 200, schema: testSinkRequestPage, as: "A page of requests" },
  })
  async requests(
    @Param("id") id: string,
    @Query({ schema: requestQuery }) query: z.infer<typeof requestQuery>,
    @Http() http: HttpContext,
  ): Promise<Page<TestSinkRequest>> {
    const page = await this.#services.read(ListTestSinkRequests, http, { id, ...query });
    http.linkTo(page);
    return page;
  }
}
