import type { WebhookDelivery, WebhookErrorClass } from "../../../../contracts/http/webhooks/webhooks.ts";
import { idOf } from "../../../../contracts/ids/ids.ts";
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
  readonly error_class: WebhookErrorClass | null;
  readonly dns_ms: number | null;
  readonly connect_ms: number | null;
  readonly tls_ms: number | null;
  readonly first_byte_ms: number | null;
  /** How many attempts were made of the delivery, listed or not. A failure on our side is none. */
  readonly total: number;
}

/** Of a `delivery d`. */
export const deliveryColumns =
  "d.id, d.event_id, d.endpoint_id, d.event_type, d.status, d.next_attempt_at, d.created_at";
const maxAttemptsShown = { single: 50, list: 10 };
const maxBodiesBytes = 384 * 1024;

/** A delivery with what is sent, and where to. */
export interface SingleDeliveryRow extends DeliveryRow {
  readonly url: string;
  readonly body: string;
}

/** One delivery of this book, or undefined. */
export async function readDelivery(
  sql: Sql,
  book: string,
  id: string,
): Promise<SingleDeliveryRow | undefined> {
  const [row] = await sql<SingleDeliveryRow>(
    `select ${deliveryColumns}, e.url, r.body
     from delivery d
     join endpoint e on e.id = d.endpoint_id
     join rendering r on r.event_id = d.event_id and r.api_version = d.api_version
     where d.id = $1
       and d.book_id = $2`,
    [id, book],
  );
  return row;
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
       select delivery_id, id, at, duration_ms, response_status, error, error_class, dns_ms, connect_ms, tls_ms,
         first_byte_ms, (count(*) filter (where error_class is distinct from 'Ours') over ())::int as total,
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

/** The delivery as the API shows it; as a list does, if it was read for one. */
export function toDelivery(
  row: DeliveryRow | SingleDeliveryRow,
  attempts: readonly ListedAttemptRow[],
): WebhookDelivery {
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
      errorClass: attempt.error_class,
      timings: {
        dnsMs: attempt.dns_ms,
        connectMs: attempt.connect_ms,
        tlsMs: attempt.tls_ms,
        firstByteMs: attempt.first_byte_ms,
        totalMs: attempt.duration_ms,
      },
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
    url: "url" in row ? row.url : null,
    payload: "body" in row ? row.body : null,
    createdAt: row.created_at.toISOString(),
  };
}
