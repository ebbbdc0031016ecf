import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import type { Page } from "../../../contracts/http/shapes.ts";
import type { WebhookDelivery } from "../../../contracts/http/webhooks/webhooks.ts";
import { idOf, isId, uuidOf } from "../../../contracts/ids/ids.ts";
import { GetDelivery, ListDeliveries, ListDeliveriesOfObject } from "../../../contracts/messages/webhooks.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { pageOfRows, uuidAfter } from "../../platform/persistence/page.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { listDeliveries, listDeliveriesOfObject } from "./store/list-deliveries.ts";
import { readAttempts, readDelivery, toDelivery } from "./store/read-delivery.ts";

@Controller()
export class QueryDeliveries {
  readonly #database: Database;

  constructor(@Inject(Database) database: Database) {
    this.#database = database;
  }

  /** Newest first, without what was sent and answered. Refusals: `invalid_cursor`, `cursor_filter_mismatch`. */
  @HandlesRequest(ListDeliveries)
  async list(
    query: z.output<typeof ListDeliveries.data>,
    { caller }: RequestContext,
  ): Promise<Page<WebhookDelivery>> {
    const asked = { ...query, list: "webhooks" };
    // On one snapshot: an attempt that is recorded in between would be shown with the status from before it.
    const { rows, attempts } = await this.#database.read([], async (sql) => {
      const listed = await listDeliveries(sql, uuidOf(caller.book), query, uuidAfter(asked));
      const ids = listed.map(({ id }) => id);
      return { rows: listed, attempts: await readAttempts(sql, ids, "list") };
    });
    const byDelivery = Map.groupBy(attempts, (attempt) => attempt.delivery_id);
    return pageOfRows(
      rows,
      query.limit,
      (row) => toDelivery(row, byDelivery.get(row.id) ?? []),
      (row) => row.id,
      asked,
    );
  }

  /** Without attempts, oldest first: the deliveries of one object, such as a payment order. */
  @HandlesRequest(ListDeliveriesOfObject)
  async ofObject(
    { objectId, limit }: z.output<typeof ListDeliveriesOfObject.data>,
    { caller }: RequestContext,
  ): Promise<z.input<typeof ListDeliveriesOfObject.reply>> {
    const rows = await listDeliveriesOfObject(this.#database.sql, uuidOf(caller.book), objectId, limit);
    return {
      data: rows.map((row) => ({
        id: idOf("wh", row.id),
        eventId: idOf("evt", row.event_id),
        endpointId: idOf("we", row.endpoint_id),
        eventType: row.event_type,
        status: row.status,
        at: row.created_at.toISOString(),
      })),
    };
  }

  /** Refusals: `not_found`. */
  @HandlesRequest(GetDelivery)
  get({ id }: z.output<typeof GetDelivery.data>, { caller }: RequestContext): Promise<WebhookDelivery> {
    const deliveryId = parseDeliveryId(id);
    return this.#database.read([], (sql) => getDelivery(sql, uuidOf(caller.book), deliveryId));
  }
}

/** The stored id. Refusals: `not_found` for text that is not a delivery id. */
export function parseDeliveryId(id: string): string {
  if (!isId("wh", id)) throw notFound("webhook delivery");
  return uuidOf(id);
}

/**
 * One delivery with its attempts, what is sent, and where to. Refusals: `not_found`, also for another book's delivery.
 */
export async function getDelivery(sql: Sql, book: string, id: string): Promise<WebhookDelivery> {
  const row = await readDelivery(sql, book, id);
  if (row === undefined) throw notFound("webhook delivery");
  return toDelivery(row, await readAttempts(sql, [id], "single"));
}
