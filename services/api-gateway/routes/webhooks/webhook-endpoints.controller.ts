import { Body, Controller, Delete, Get, Inject, Param, Patch, Post, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { z } from "zod";
import type { Page } from "../../../../contracts/http/shapes.ts";
import {
  type WebhookEndpoint,
  type WebhookEndpointCreate,
  type WebhookEndpointPatch,
  webhookEndpoint,
  webhookEndpointCreate,
  webhookEndpointCreated,
  webhookEndpointPage,
  webhookEndpointPatch,
  webhookEndpointQuery,
} from "../../../../contracts/http/webhooks/webhooks.ts";
import {
  CreateWebhookEndpoint,
  DeleteWebhookEndpoint,
  GetWebhookEndpoint,
  ListWebhookEndpoints,
  UpdateWebhookEndpoint,
} from "../../../../contracts/messages/webhooks.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { Operation } from "../../operation/operation.ts";
import { ServiceClient } from "../../upstream/service-client.ts";

const endpointId = { id: "we" } as const;

/** The URLs that a tenant's events are sent to. Each route sends a request to webhooks. */
@ApiTags("Webhook endpoints")
@Controller("v1/webhook-endpoints")
export class WebhookEndpointsController {
  readonly #services: ServiceClient;

  constructor(@Inject(ServiceClient) services: ServiceClient) {
    this.#services = services;
  }

  @Post()
  @Operation({
    id: "createWebhookEndpoint",
    summary: "Create a webhook endpoint",
    access: "webhooks:write",
    takes: ["body"],
    writes: true,
    answers: { status: 201, schema: webhookEndpointCreated, as: "The endpoint and its signing secret" },
    refusals: ["invalid_state_transition"],
  })
  async create(
    @Body({ schema: webhookEndpointCreate }) body: WebhookEndpointCreate,
    @Http() http: HttpContext,
  ): Promise<z.infer<typeof webhookEndpointCreated>> {
    const { value: endpoint } = await this.#services.write(CreateWebhookEndpoint, http, {
      ...body,
      apiVersion: http.version,
    });
    http.createdAt(`/v1/webhook-endpoints/${endpoint.id}`);
    return endpoint;
  }

  @Get()
  @Operation({
    id: "listWebhookEndpoints",
    summary: "List webhook endpoints",
    access: "webhooks:read",
    takes: ["query"],
    answers: { status: 200, schema: webhookEndpointPage, as: "A page of endpoints" },
  })
  async list(
    @Query({ schema: webhookEndpointQuery }) query: z.infer<typeof webhookEndpointQuery>,
    @Http() http: HttpContext,
  ): Promise<Page<WebhookEndpoint>> {
    const page = await this.#services.read(ListWebhookEndpoints, http, query);
    http.linkTo(page);
    return page;
  }

  @Get(":id")
  @Operation({
    id: "getWebhookEndpoint",
    summary: "Read a webhook endpoint",
    access: "webhooks:read",
    path: endpointId,
    answers: { status: 200, schema: webhookEndpoint, as: "The endpoint" },
  })
  read(@Param("id") id: string, @Http() http: HttpContext): Promise<WebhookEndpoint> {
    return this.#services.read(GetWebhookEndpoint, http, { id });
  }

  @Patch(":id")
  @Operation({
    id: "updateWebhookEndpoint",
    summary: "Update a webhook endpoint",
    access: "webhooks:write",
    path: endpointId,
    takes: ["body"],
    writes: true,
    answers: { status: 200, schema: webhookEndpoint, as: "The endpoint" },
  })
  async update(
    @Param("id") id: string,
    @Body({ schema: webhookEndpointPatch }) change: WebhookEndpointPatch,
    @Http() http: HttpContext,
  ): Promise<WebhookEndpoint> {
    const { value } = await this.#services.write(UpdateWebhookEndpoint, http, { id, change });
    return value;
  }

  @Delete(":id")
  @Operation({
    id: "deleteWebhookEndpoint",
    summary: "Delete a webhook endpoint",
    access: "webhooks:write",
    path: endpointId,
    writes: true,
    answers: { status: 204, as: "It is deleted" },
  })
  async delete(@Param("id") id: string, @Http() http: HttpContext): Promise<void> {
    await this.#services.write(DeleteWebhookEndpoint, http, { id });
  }
}
