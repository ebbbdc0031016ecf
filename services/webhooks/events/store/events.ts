import type { Lease } from "../../deliveries/domain/delivery.ts";
import { arrayLiteral } from "../../../platform/persistence/array-literal.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { uuidArray } from "../../../platform/persistence/uuid-array.ts";

/** Ids are stored `uuid`s. */
export interface EventRow {
  readonly uuid: string;
  readonly book: string;
  readonly type: string;
  readonly objectId: string;
  readonly sequence: number;
  /** With the sequence, identifies one change of the object. */
  readonly changeKey: string;
  /** What the other columns don't say of the event, as JSON. */
  readonly payload: string;
}

export interface RenderingRow {
  readonly eventId: string;
  readonly apiVersion: string;
  readonly body: string;
}

export interface NewDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly endpointId: string;
  readonly apiVersion: string;
  /** HTTP requests until it is dead-lettered. */
  readonly attemptsAllowed: number;
  /** False if any instance with capacity may claim it. */
  readonly isLeased: boolean;
}

/** What the events of a batch need beside their rows. Ids are stored `uuid`s. */
export interface FanOut {
  readonly renderings: readonly RenderingRow[];
  readonly deliveries: readonly NewDelivery[];
  /** This instance's lease of the deliveries that it sends from memory. */
  readonly lease: Lease;
  /** True for the test of an endpoint that the newest of its secrets alone signs. */
  readonly newestSecretOnly?: boolean;
}

/** In the order of the unique key, so that two instances with the same changes can't deadlock. */
const insertEventsSql = `insert into event (id, book_id, type, object_id, sequence, change_key, payload, created_at)
  select id, book_id, type, object_id, sequence, change_key, payload::jsonb, $8
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::int[], $6::text[], $7::text[])
    as e (id, book_id, type, object_id, sequence, change_key, payload)
  order by book_id, object_id, sequence, change_key, id
  on conflict do nothing`;

/** A second delivery of an event to an endpoint violates a unique constraint. */
const fanOutSql = `with new_event as (
    ${insertEventsSql}
    returning id, book_id, type
  ),
  rendered as (
    insert into rendering (event_id, api_version, body)
    select r.event_id, r.api_version, r.body
    from unnest($9::uuid[], $10::text[], $11::text[]) as r (event_id, api_version, body)
    join new_event e on e.id = r.event_id
  ),
  delivered as (
    insert into delivery
      (id, book_id, event_id, endpoint_id, event_type, api_version, status, attempt_count, attempts_allowed,
       next_attempt_at, claimable_at, lease_id, newest_secret_only, created_at)
    select d.id, e.book_id, e.id, d.endpoint_id, e.type, d.api_version, 'Pending', 0, d.attempts_allowed,
      $8, case when not d.is_leased then $8 end, case when d.is_leased then $18::uuid end, $20::boolean, $8
    from unnest($12::uuid[], $13::uuid[], $14::uuid[], $15::text[], $16::boolean[], $17::int[])
      as d (id, event_id, endpoint_id, api_version, is_leased, attempts_allowed)
    join new_event e on e.id = d.event_id
    returning id, book_id, lease_id
  ),
  leased as (
    insert into lease (book_id, id, ends_at, delivery_ids)
    select book_id, lease_id, $19, array_agg(id)
    from delivered
    where lease_id is not null
    group by book_id, lease_id
  )
  select id
  from new_event`;

/**
 * Inserts events, with the renderings and the deliveries of those that are new. An event is not new if its message id
 * or its change (book, object, sequence, change key) is stored already: it then has its deliveries, because they were
 * committed with it. Returns the ids of the new events; without deliveries nobody needs them, and the set is empty.
 */
export async function insertEvents(
  sql: Sql,
  events: readonly EventRow[],
  { renderings, deliveries, lease, newestSecretOnly = false }: FanOut,
  now: Date,
): Promise<ReadonlySet<string>> {
  const rows = [
    uuidArray(events.map((event) => event.uuid)),
    uuidArray(events.map((event) => event.book)),
    arrayLiteral(events.map((event) => event.type)),
    events.map((event) => event.objectId),
    arrayLiteral(events.map((event) => event.sequence)),
    events.map((event) => event.changeKey),
    events.map((event) => event.payload),
    now,
  ];
  if (deliveries.length === 0) {
    await sql(insertEventsSql, rows);
    return new Set();
  }
  const inserted = await sql<{ id: string }>(fanOutSql, [
    ...rows,
    uuidArray(renderings.map((rendering) => rendering.eventId)),
    arrayLiteral(renderings.map((rendering) => rendering.apiVersion)),
    renderings.map((rendering) => rendering.body),
    uuidArray(deliveries.map((delivery) => delivery.id)),
    uuidArray(deliveries.map((delivery) => delivery.eventId)),
    uuidArray(deliveries.map((delivery) => delivery.endpointId)),
    arrayLiteral(deliveries.map((delivery) => delivery.apiVersion)),
    arrayLiteral(deliveries.map((delivery) => delivery.isLeased)),
    arrayLiteral(deliveries.map((delivery) => delivery.attemptsAllowed)),
    lease.id,
    lease.endsAt,
    newestSecretOnly,
  ]);
  return new Set(inserted.map(({ id }) => id));
}
