import { Body, Controller, Get, Inject, Param, Post, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { z } from "zod";
import type { Page } from "../../../../contracts/http/shapes.ts";
import {
  type WebhookDiagnose,
  webhookDiagnose,
  type WebhookDiagnosis,
  webhookDiagnosis,
} from "../../../../contracts/http/webhooks/diagnosis.ts";
import {
  type WebhookStatement,
  webhookStatement,
  type WebhookStatementQuery,
  webhookStatementQuery,
} from "../../../../contracts/http/webhooks/statement.ts";
import {
  type WebhookDelivery,
  webhookDelivery,
  webhookDeliveryPage,
  webhookDeliveryQuery,
} from "../../../../contracts/http/webhooks/webhooks.ts";
import {
  DiagnoseWebhook,
  GetDelivery,
  GetWebhookStatement,
  ListDeliveries,
  RetryDelivery,
} from "../../../../contracts/messages/webhooks.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { noBody } from "../../operation/no-body.ts";
import { Operation } from "../../operation/operation.ts";
import { ServiceClient } from "../../upstream/service-client.ts";

const deliveryId = { id: "wh" } as const;

/** Deliveries of events. Each route sends a request to webhooks. */
@ApiTags("Webhooks")
@Controller("v1/webhooks")
export class WebhooksController {
  readonly #services: ServiceClient;

  constructor(@Inject(ServiceClient) services: ServiceClient) {
    this.#services = services;
  }

  @Get()
  @Operation({
    id: "listWebhooks",
    summary: "List webhook deliveries",
    access: "webhooks:read",
    takes: ["query"],
    answers: { status: 200, schema: webhookDeliveryPage, as: "A page of deliveries" },
  })
  async list(
    @Query({ schema: webhookDeliveryQuery }) query: z.infer<typeof webhookDeliveryQuery>,
    @Http() http: HttpContext,
  ): Promise<Page<WebhookDelivery>> {
    const page = await this.#services.read(ListDeliveries, http, query);
    http.linkTo(page);
    return page;
  }

  @Get("statement")
  @Operation({
    id: "getWebhookStatement",
    summary: "Count a day's deliveries by endpoint",
    access: "webhooks:read",
    takes: ["query"],
    answers: { status: 200, schema: webhookStatement, as: "The statement" },
    refusals: ["missing_field"],
  })
  async statement(
    @Query({ schema: webhookStatementQuery }) query: WebhookStatementQuery,
    @Http() http: HttpContext,
  ): Promise<WebhookStatement> {
    const statement = await this.#services.read(GetWebhookStatement, http, query);
    http.linkTo(statement);
    return statement;
  }

  @Post("diagnose")
  @Operation({
    id: "diagnoseWebhook",
    summary: "Say why a signature does not verify",
    access: "webhooks:read",
    takes: ["body"],
    answers: { status: 200, schema: webhookDiagnosis, as: "The diagnosis" },
    refusals: ["not_found"],
  })
  diagnose(
    @Body({ schema: webhookDiagnose }) body: WebhookDiagnose,
    @Http() http: HttpContext,
  ): Promise<WebhookDiagnosis> {
    return this.#services.read(DiagnoseWebhook, http, body);
  }

  // After the fixed paths, which `:id` would match too.
  @Get(":id")
  @Operation({
    id: "getWebhook",
    summary: "Read a webhook delivery",
    access: "webhooks:read",
    path: deliveryId,
    answers: { status: 200, schema: webhookDelivery, as: "The delivery" },
  })
  read(@Param("id") id: string, @Http() http: HttpContext): Promise<WebhookDelivery> {
    return this.#services.read(GetDelivery, http, { id });
  }

  @Post(":id/retry")
  @Operation({
    id: "retryWebhook",
    summary: "Retry a webhook delivery",
    access: "webhooks:write",
    path: deliveryId,
    takes: ["body"],
    writes: true,
    answers: { status: 202, schema: webhookDelivery, as: "The delivery, with its next attempt due" },
    refusals: ["invalid_state_transition"],
  })
  async retry(
    @Param("id") id: string,
    @Body({ schema: noBody }) _body: object,
    @Http() http: HttpContext,
  ): Promise<WebhookDelivery> {
    const { value: delivery } = await this.#services.write(RetryDelivery, http, { id });
    return delivery;
  }
}
