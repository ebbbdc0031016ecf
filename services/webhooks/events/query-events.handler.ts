import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import type { Page } from "../../../contracts/http/shapes.ts";
import type { ApiVersion } from "../../../contracts/http/versions.ts";
import type { StoredEvent } from "../../../contracts/http/webhooks/stored-events.ts";
import { idOf, isId, uuidOf } from "../../../contracts/ids/ids.ts";
import { GetEvent, ListEvents } from "../../../contracts/messages/webhook-events.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { pageOfRows, uuidAfter } from "../../platform/persistence/page.ts";
import { dataOf, occurredAtOf } from "./domain/restored-event.ts";
import { listEvents, readEvent, restoredEvent, type StoredEventRow } from "./store/list-events.ts";

/** Reads events, also those that no endpoint received, in the caller's version of the API. */
@Controller()
export class QueryEvents {
  readonly #database: Database;

  constructor(@Inject(Database) database: Database) {
    this.#database = database;
  }

  /** Newest first. Refusals: `invalid_cursor`, `cursor_filter_mismatch`. */
  @HandlesRequest(ListEvents)
  async list(
    { query, apiVersion }: z.output<typeof ListEvents.data>,
    { caller }: RequestContext,
  ): Promise<Page<StoredEvent>> {
    const asked = { ...query, list: "events" };
    const rows = await listEvents(this.#database.sql, uuidOf(caller.book), query, uuidAfter(asked));
    return pageOfRows(
      rows,
      query.limit,
      (row) => toEvent(row, apiVersion),
      (row) => row.id,
      asked,
    );
  }

  /** Refusals: `not_found`, also for another book's event. */
  @HandlesRequest(GetEvent)
  async get(
    { id, apiVersion }: z.output<typeof GetEvent.data>,
    { caller }: RequestContext,
  ): Promise<StoredEvent> {
    if (!isId("evt", id)) throw notFound("event");
    const row = await readEvent(this.#database.sql, uuidOf(caller.book), uuidOf(id));
    if (row === undefined) throw notFound("event");
    return toEvent(row, apiVersion);
  }
}

function toEvent(row: StoredEventRow, version: ApiVersion): StoredEvent {
  const event = restoredEvent(row);
  return {
    id: idOf("evt", row.id),
    type: event.type,
    objectId: event.objectId,
    sequence: event.sequence,
    created_at: occurredAtOf(event),
    data: dataOf(event, version) as StoredEvent["data"],
  };
}
