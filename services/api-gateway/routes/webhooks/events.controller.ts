import { Controller, Get, Inject, Param, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { z } from "zod";
import type { Page } from "../../../../contracts/http/shapes.ts";
import {
  event,
  eventPage,
  eventQuery,
  type EventTypeInfo,
  eventTypePage,
  type StoredEvent,
} from "../../../../contracts/http/webhooks/stored-events.ts";
import { GetEvent, ListEvents } from "../../../../contracts/messages/webhook-events.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { Operation } from "../../operation/operation.ts";
import { ServiceClient } from "../../upstream/service-client.ts";
import { describeEventTypes } from "./describe-event-types.ts";

/** Events, received or not, in the version of the API that is called. */
@ApiTags("Events")
@Controller("v1/events")
export class EventsController {
  readonly #services: ServiceClient;

  constructor(@Inject(ServiceClient) services: ServiceClient) {
    this.#services = services;
  }

  @Get()
  @Operation({
    id: "listEvents",
    summary: "List events",
    access: "webhooks:read",
    takes: ["query"],
    answers: { status: 200, schema: eventPage, as: "A page of events" },
  })
  async list(
    @Query({ schema: eventQuery }) query: z.infer<typeof eventQuery>,
    @Http() http: HttpContext,
  ): Promise<Page<StoredEvent>> {
    const page = await this.#services.read(ListEvents, http, { query, apiVersion: http.version });
    http.linkTo(page);
    return page;
  }

  @Get(":id")
  @Operation({
    id: "getEvent",
    summary: "Read an event",
    access: "webhooks:read",
    path: { id: "evt" },
    answers: { status: 200, schema: event, as: "The event" },
  })
  read(@Param("id") id: string, @Http() http: HttpContext): Promise<StoredEvent> {
    return this.#services.read(GetEvent, http, { id, apiVersion: http.version });
  }
}

@ApiTags("Events")
@Controller("v1/event-types")
export class EventTypesController {
  @Get()
  @Operation({
    id: "listEventTypes",
    summary: "List event types",
    access: "webhooks:read",
    answers: { status: 200, schema: eventTypePage, as: "All types of events" },
  })
  list(@Http() http: HttpContext): Page<EventTypeInfo> {
    return { data: describeEventTypes(http.version), nextCursor: null, hasMore: false };
  }
}
