import { isDeepStrictEqual } from "node:util";
import { Body, Controller, Delete, Get, Inject, Param, Patch, Post, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { z } from "zod";
import type { Page } from "../../../../contracts/http/shapes.ts";
import {
  type WebhookSecretRotate,
  type WebhookSecretRotated,
  type WebhookSecrets,
  webhookEndpointTest,
  webhookSecretRotate,
  webhookSecretRotated,
  webhookSecrets,
} from "../../../../contracts/http/webhooks/endpoint-secrets.ts";
import {
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookEndpointCreate,
  type WebhookEndpointPatch,
  webhookDelivery,
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
  RetireWebhookSecrets,
  RotateWebhookSecret,
  TestWebhookEndpoint,
  UpdateWebhookEndpoint,
} from "../../../../contracts/messages/webhooks.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { noBody } from "../../operation/no-body.ts";
import { Operation } from "../../operation/operation.ts";
import { ServiceClient } from "../../upstream/service-client.ts";

const endpointId = { id: "we" } as const;

/** It shows a signing secret or changes where events go. Another person may repeat the request with its key. */
const confirmed = { confirmedFor: "webhooks:write", isDecision: false } as const;

/** What pauses an endpoint must not wait for a passkey. */
const onlyPauses = (body: unknown) => isDeepStrictEqual(body, { status: "Disabled" });

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
    audited: "WebhookEndpointCreated",
    ...confirmed,
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
    http.setLocation(`/v1/webhook-endpoints/${endpoint.id}`);
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
    audited: "WebhookEndpointUpdated",
    ...confirmed,
    onlyStops: onlyPauses,
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
    audited: "WebhookEndpointDeleted",
    access: "webhooks:write",
    path: endpointId,
    writes: true,
    answers: { status: 204, as: "It is deleted" },
  })
  async delete(@Param("id") id: string, @Http() http: HttpContext): Promise<void> {
    await this.#services.write(DeleteWebhookEndpoint, http, { id });
  }

  @Post(":id/test")
  @Operation({
    id: "testWebhookEndpoint",
    summary: "Test a webhook endpoint",
    access: "webhooks:write",
    path: endpointId,
    takes: ["body"],
    writes: true,
    answers: { status: 202, schema: webhookDelivery, as: "The delivery of the test, with its attempt due" },
    refusals: ["invalid_state_transition"],
  })
  async test(
    @Param("id") id: string,
    @Body({ schema: webhookEndpointTest }) body: z.infer<typeof webhookEndpointTest>,
    @Http() http: HttpContext,
  ): Promise<WebhookDelivery> {
    return (await this.#services.write(TestWebhookEndpoint, http, { id, ...body })).value;
  }

  @Post(":id/rotate-secret")
  @Operation({
    id: "rotateWebhookSecret",
    summary: "Rotate a webhook signing secret",
    audited: "WebhookSecretRotated",
    ...confirmed,
    access: "webhooks:write",
    path: endpointId,
    takes: ["body"],
    writes: true,
    answers: { status: 200, schema: webhookSecretRotated, as: "The new secret" },
    refusals: ["webhook_secret_limit"],
  })
  async rotateSecret(
    @Param("id") id: string,
    @Body({ schema: webhookSecretRotate }) body: WebhookSecretRotate,
    @Http() http: HttpContext,
  ): Promise<WebhookSecretRotated> {
    return (await this.#services.write(RotateWebhookSecret, http, { id, ...body })).value;
  }

  @Post(":id/retire-previous-secret")
  @Operation({
    id: "retirePreviousWebhookSecret",
    summary: "Retire previous signing secrets",
    audited: "WebhookSecretsRetired",
    access: "webhooks:write",
    path: endpointId,
    takes: ["body"],
    writes: true,
    answers: { status: 200, schema: webhookSecrets, as: "The secret that is left" },
    refusals: ["invalid_state_transition"],
  })
  async retirePreviousSecret(
    @Param("id") id: string,
    @Body({ schema: noBody }) _body: object,
    @Http() http: HttpContext,
  ): Promise<WebhookSecrets> {
    return (await this.#services.write(RetireWebhookSecrets, http, { id })).value;
  }
}
