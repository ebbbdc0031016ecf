import type { z } from "zod";
import type { WebhookDelivery, webhookDeliveryQuery } from "../../../contracts/http/webhooks.ts";
import { idOf, isId, uuidOf } from "../../../contracts/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
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

export interface AttemptShown {
  readonly delivery_id: string;
  readonly at: Date;
  readonly duration_ms: number;
  readonly response_status: number | null;
  readonly response_body: string | null;
  readonly error: string | null;
  /** Of the delivery, shown or not. */
  readonly total: number;
}

const columns = "id, event_id, endpoint_id, event_type, status, next_attempt_at, created_at";
const shownAttempts = { alone: 50, inList: 10 };
const shownBodiesBytes = 384 * 1024;

/** One delivery of this book. */
export async function readDelivery(sql: Sql, book: string, id: string): Promise<DeliveryRow | undefined> {
  const [row] = await sql<DeliveryRow>(
    `select ${columns}
     from delivery
     where id = $1
       and book_id = $2`,
    [id, book],
  );
  return row;
}

/** A book's deliveries, newest first, `limit + 1` of them. A filter with a malformed id fits nothing. */
export async function listDeliveries(
  sql: Sql,
  book: string,
  query: z.output<typeof webhookDeliveryQuery>,
  before: string | null,
): Promise<DeliveryRow[]> {
  const { endpointId, eventId } = query;
  if (endpointId !== undefined && !isId("we", endpointId)) return [];
  if (eventId !== undefined && !isId("evt", eventId)) return [];
  return sql<DeliveryRow>(
    `select ${columns}
     from delivery
     where book_id = $1
       and ($2::uuid is null or id < $2)
       and ($3::text is null or status = $3)
       and ($4::text is null or event_type = $4)
       and ($5::uuid is null or endpoint_id = $5)
       and ($6::uuid is null or event_id = $6)
     order by id desc
     limit $7`,
    [
      book,
      before,
      query.status ?? null,
      query.eventType ?? null,
      endpointId === undefined ? null : uuidOf(endpointId),
      eventId === undefined ? null : uuidOf(eventId),
      query.limit + 1,
    ],
  );
}

/** The newest attempts of each delivery, oldest first, with their total. Only one that is read alone shows bodies. */
export function readAttempts(
  sql: Sql,
  deliveryIds: readonly string[],
  shown: keyof typeof shownAttempts,
): Promise<AttemptShown[]> {
  return sql<AttemptShown>(
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
    [deliveryIds, shown === "alone", shownAttempts[shown]],
  );
}

/** As its owner reads it. */
export function toDelivery(row: DeliveryRow, attempts: readonly AttemptShown[]): WebhookDelivery {
  let budgetBytes = shownBodiesBytes;
  // A message between services is at most 1 MiB: when bodies don't all fit, the newest are worth most.
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
