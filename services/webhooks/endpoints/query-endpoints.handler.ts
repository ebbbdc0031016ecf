import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import type { Page } from "../../../contracts/http/shapes.ts";
import type { WebhookEndpoint } from "../../../contracts/http/webhooks/webhooks.ts";
import { isId, uuidOf } from "../../../contracts/ids/ids.ts";
import { GetWebhookEndpoint, ListWebhookEndpoints } from "../../../contracts/messages/webhooks.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { pageOfRows, uuidAfter } from "../../platform/persistence/page.ts";
import { listEndpoints, readEndpoint, toEndpoint } from "./store/endpoints.ts";

@Controller()
export class QueryEndpoints {
  readonly #database: Database;

  constructor(@Inject(Database) database: Database) {
    this.#database = database;
  }

  /** Newest first. Refusals: `invalid_cursor`, `cursor_filter_mismatch`. */
  @HandlesRequest(ListWebhookEndpoints)
  async list(
    query: z.output<typeof ListWebhookEndpoints.data>,
    { caller }: RequestContext,
  ): Promise<Page<WebhookEndpoint>> {
    const asked = { ...query, list: "webhook-endpoints" };
    const rows = await listEndpoints(this.#database.sql, uuidOf(caller.book), uuidAfter(asked), query.limit);
    return pageOfRows(rows, query.limit, toEndpoint, (row) => row.id, asked);
  }

  /** Without its secret, which only the response to its creation shows. Refusals: `not_found`. */
  @HandlesRequest(GetWebhookEndpoint)
  async get(
    { id }: z.output<typeof GetWebhookEndpoint.data>,
    { caller }: RequestContext,
  ): Promise<WebhookEndpoint> {
    const row = await readEndpoint(this.#database.sql, uuidOf(caller.book), parseEndpointId(id));
    if (row === undefined) throw notFound("webhook endpoint");
    return toEndpoint(row);
  }
}

/** The stored id. Refusals: `not_found` for text that is not an endpoint id. */
export function parseEndpointId(id: string): string {
  if (!isId("we", id)) throw notFound("webhook endpoint");
  return uuidOf(id);
}
