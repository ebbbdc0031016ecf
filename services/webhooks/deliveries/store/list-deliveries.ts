import type { z } from "zod";
import {
  deliveryStatus,
  eventTypes,
  type WebhookDelivery,
  type webhookDeliveryQuery,
} from "../../../../contracts/http/webhooks/webhooks.ts";
import { type EventId, idOf, isId, uuidOf } from "../../../../contracts/ids/ids.ts";
import { aboveAllUuids, belowAllUuids } from "../../../platform/persistence/page.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { DeliveryStatus } from "../domain/retry-schedule.ts";

export interface DeliveryRow {
  readonly id: string;
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly event_type: string;
  readonly status: DeliveryStatus;
  readonly next_attempt_at: Date | null;
  readonly created_at: Date;
}

export interface ListedAttemptRow {
  readonly delivery_id: string;
  readonly at: Date;
  readonly duration_ms: number;
  readonly response_status: number | null;
  readonly response_body: string | null;
  readonly error: string | null;
  /** How many attempts the delivery has, listed or not. */
  readonly total: number;
}

const columns = "d.id, d.event_id, d.endpoint_id, d.event_type, d.status, d.next_attempt_at, d.created_at";
const maxAttemptsShown = { single: 50, list: 10 };
const maxBodiesBytes = 384 * 1024;

/** One delivery of this book, or undefined. */
export async function readDelivery(sql: Sql, book: string, id: string): Promise<DeliveryRow | undefined> {
  const [row] = await sql<DeliveryRow>(
    `select ${columns}
     from delivery d
     where id = $1
       and book_id = $2`,
    [id, book],
  );
  return row;
}

type DeliveryQuery = z.output<typeof webhookDeliveryQuery>;

/**
 * A book's deliveries, newest first, `limit + 1` of them. A filter with a malformed id matches nothing. Every filter
 * reads by an index (query-deliveries.plans.db.spec.ts).
 */
export async function listDeliveries(
  sql: Sql,
  book: string,
  query: DeliveryQuery,
  before: string | null,
): Promise<DeliveryRow[]> {
  const { endpointId, eventId, status, eventType } = query;
  if (endpointId !== undefined && !isId("we", endpointId)) return [];
  if (eventId !== undefined && !isId("evt", eventId)) return [];
  const page = [book, before ?? aboveAllUuids, query.limit + 1];
  const endpoint = endpointId === undefined ? undefined : uuidOf(endpointId);
  if (eventId !== undefined) return listOfEvent(sql, page, eventId, endpoint, query);
  if (endpoint ?? status ?? eventType) return listByTypeAndStatus(sql, page, endpoint, query);
  return sql<DeliveryRow>(
    `select ${columns}
     from delivery d
     where (book_id, id) >= ($1, '${belowAllUuids}')
       and (book_id, id) < ($1, $2::uuid)
     order by book_id desc, id desc
     limit $3`,
    page,
  );
}

/** Needs no index for the other filters, because an event has at most one delivery per endpoint: a hundred rows. */
function listOfEvent(
  sql: Sql,
  page: readonly unknown[],
  eventId: EventId,
  endpoint: string | undefined,
  { status, eventType }: DeliveryQuery,
): Promise<DeliveryRow[]> {
  return sql<DeliveryRow>(
    `select ${columns}
     from delivery d
     where book_id = $1
       and id < $2
       and event_id = $4
       and ($5::uuid is null or endpoint_id = $5)
       and ($6::text is null or status = $6)
       and ($7::text is null or event_type = $7)
     order by id desc
     limit $3`,
    [...page, uuidOf(eventId), endpoint ?? null, status ?? null, eventType ?? null],
  );
}

/**
 * Reads one range of the index for each combination of type and status, and merges the ranges. A range is a row
 * comparison instead of `column = value`, so that only this index has the requested order. With `=` the planner may
 * assume that every value is common and scan all deliveries of the book.
 */
function listByTypeAndStatus(
  sql: Sql,
  page: readonly unknown[],
  endpoint: string | undefined,
  { eventType, status }: DeliveryQuery,
): Promise<DeliveryRow[]> {
  const types: readonly string[] = eventType === undefined ? eventTypes : [eventType];
  const statuses = status === undefined ? deliveryStatus.options : [status];
  const combinations = types.flatMap((type) => statuses.map((value) => [type, value] as const));
  const [prefix, prefixValue] = endpoint === undefined ? ["", ""] : ["d.endpoint_id, ", "$6::uuid, "];
  const key = `(d.book_id, ${prefix}d.event_type, d.status, d.id)`;
  const range = `$1, ${prefixValue}w.event_type, w.status`;
  return sql<DeliveryRow>(
    `select ${columns}
     from unnest($4::text[], $5::text[]) as w (event_type, status)
     cross join lateral (
       select d.id as found_id
       from delivery d
       where ${key} >= (${range}, '${belowAllUuids}')
         and ${key} < (${range}, $2::uuid)
       order by d.book_id desc, ${prefix.replace(",", " desc,")}d.event_type desc, d.status desc, d.id desc
       limit $3
     ) f
     cross join lateral (select * from delivery x where x.id = f.found_id offset 0) d
     order by d.id desc
     limit $3`,
    [
      ...page,
      combinations.map(([type]) => type),
      combinations.map(([, value]) => value),
      ...(endpoint === undefined ? [] : [endpoint]),
    ],
  );
}

/** The newest attempts of each delivery, oldest first, with the total count. Only a single delivery shows bodies. */
export function readAttempts(
  sql: Sql,
  deliveryIds: readonly string[],
  view: keyof typeof maxAttemptsShown,
): Promise<ListedAttemptRow[]> {
  return sql<ListedAttemptRow>(
    `select newest.*
     from unnest($1::uuid[]) as wanted (id)
     cross join lateral (
       select delivery_id, id, at, duration_ms, response_status, error, (count(*) over ())::int as total,
         case when $2 then response_body end as response_body
       from attempt
       where delivery_id = wanted.id
       order by id desc
       limit $3
     ) newest
     order by newest.delivery_id, newest.id`,
    [deliveryIds, view === "single", maxAttemptsShown[view]],
  );
}

/** The delivery as the API shows it. */
export function toDelivery(row: DeliveryRow, attempts: readonly ListedAttemptRow[]): WebhookDelivery {
  let budgetBytes = maxBodiesBytes;
  // A message between services is at most 1 MiB. If not all bodies fit, the newest are shown.
  const shown = attempts.toReversed().map((attempt) => {
    budgetBytes -= Buffer.byteLength(JSON.stringify(attempt.response_body));
    return {
      at: attempt.at.toISOString(),
      durationMs: attempt.duration_ms,
      responseStatus: attempt.response_status,
      responseBody: budgetBytes < 0 ? null : attempt.response_body,
      error: attempt.error,
    };
  });
  return {
    id: idOf("wh", row.id),
    eventId: idOf("evt", row.event_id),
    endpointId: idOf("we", row.endpoint_id),
    eventType: row.event_type,
    status: row.status,
    attemptCount: attempts[0]?.total ?? 0,
    nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
    attempts: shown.toReversed(),
    createdAt: row.created_at.toISOString(),
  };
}
