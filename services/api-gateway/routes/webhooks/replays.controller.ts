import { Body, Controller, Get, Inject, Param, Post, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { z } from "zod";
import type { Page } from "../../../../contracts/http/shapes.ts";
import {
  type WebhookReplay,
  webhookReplay,
  webhookReplayCreate,
  webhookReplayPage,
  webhookReplayQuery,
} from "../../../../contracts/http/webhooks/replays.ts";
import {
  CancelReplay,
  CreateReplay,
  GetReplay,
  ListReplays,
} from "../../../../contracts/messages/webhook-replays.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { noBody } from "../../operation/no-body.ts";
import { Operation } from "../../operation/operation.ts";
import { ServiceClient } from "../../upstream/service-client.ts";

const replayId = { id: "rpl" } as const;

/** Replays of deliveries. Registered before the controller of deliveries, whose `:id` would match `replay`. */
@ApiTags("Webhooks")
@Controller("v1/webhooks/replay")
export class ReplaysController {
  readonly #services: ServiceClient;

  constructor(@Inject(ServiceClient) services: ServiceClient) {
    this.#services = services;
  }

  @Post()
  @Operation({
    id: "replayWebhooks",
    summary: "Replay webhook deliveries",
    access: "webhooks:write",
    takes: ["body"],
    writes: true,
    // It counts up to a million deliveries first.
    readsWholeBook: true,
    answers: { status: 202, schema: webhookReplay, as: "The replay, which goes on by itself, or the count" },
    refusals: ["not_found", "invalid_state_transition"],
  })
  async create(
    @Body({ schema: webhookReplayCreate }) body: z.infer<typeof webhookReplayCreate>,
    @Http() http: HttpContext,
  ): Promise<WebhookReplay> {
    const { value: replay } = await this.#services.write(CreateReplay, http, body);
    return replay;
  }

  @Get()
  @Operation({
    id: "listWebhookReplays",
    summary: "List replays",
    access: "webhooks:read",
    takes: ["query"],
    answers: { status: 200, schema: webhookReplayPage, as: "A page of replays" },
  })
  async list(
    @Query({ schema: webhookReplayQuery }) query: z.infer<typeof webhookReplayQuery>,
    @Http() http: HttpContext,
  ): Promise<Page<WebhookReplay>> {
    const page = await this.#services.read(ListReplays, http, query);
    http.linkTo(page);
    return page;
  }

  @Get(":id")
  @Operation({
    id: "getWebhookReplay",
    summary: "Read a replay",
    access: "webhooks:read",
    path: replayId,
    answers: { status: 200, schema: webhookReplay, as: "The replay and its progress" },
  })
  read(@Param("id") id: string, @Http() http: HttpContext): Promise<WebhookReplay> {
    return this.#services.read(GetReplay, http, { id });
  }

  @Post(":id/cancel")
  @Operation({
    id: "cancelWebhookReplay",
    summary: "Cancel a replay",
    access: "webhooks:write",
    path: replayId,
    takes: ["body"],
    writes: true,
    answers: { status: 200, schema: webhookReplay, as: "The cancelled replay" },
    refusals: ["invalid_state_transition"],
  })
  async cancel(
    @Param("id") id: string,
    @Body({ schema: noBody }) _body: object,
    @Http() http: HttpContext,
  ): Promise<WebhookReplay> {
    const { value: replay } = await this.#services.write(CancelReplay, http, { id });
    return replay;
  }
}
