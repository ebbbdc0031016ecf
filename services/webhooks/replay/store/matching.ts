/** What a replay sends: deliveries of endpoints, and events that an endpoint never got. */
import { idOf } from "../../../../contracts/ids/ids.ts";
import { walkEach } from "../../../platform/persistence/params.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { StoredEventRow } from "../../events/store/list-events.ts";

export interface ReplayTarget {
  readonly id: string;
  readonly status: "Enabled" | "Disabled";
  readonly event_types: string[];
}

/** The book's endpoints that are not deleted, or one of them. */
export function readTargets(sql: Sql, book: string, endpointId: string | null): Promise<ReplayTarget[]> {
  return sql<ReplayTarget>(
    `select id, status, event_types
     from endpoint
     where book_id = $1
       and deleted_at is null
       and ($2::uuid is null or id = $2)`,
    [book, endpointId],
  );
}

/** Which deliveries or events of a book. Ids are stored `uuid`s that begin with the time of creation. */
export interface Matching {
  readonly book: string;
  readonly endpoints: readonly string[];
  readonly eventTypes: readonly string[];
  /** The ids begin here. */
  readonly fromId: string;
  /** The ids end before this one. */
  readonly belowId: string;
}

/** Counts at most `max` deliveries, by the index of deliveries by endpoint, type and status. */
export async function countDeliveries(
  sql: Sql,
  { book, endpoints, eventTypes, fromId, belowId }: Matching,
  statuses: readonly string[],
  max: number,
): Promise<number> {
  const [row] = await sql<{ count: bigint }>(
    `select count(*)
     from (
       select
       from delivery
       where book_id = $1
         and endpoint_id = any ($2::uuid[])
         and event_type = any ($3::text[])
         and filed_status = any ($4::text[])
         and id >= $5
         and id < $6
       limit $7
     ) matched`,
    [book, endpoints, eventTypes, statuses, fromId, belowId, max],
  );
  return Number(row?.count ?? 0);
}

/** Counts at most `max` events, by the index of events by type alone: 0.2 s for a million. */
async function countEvents(
  sql: Sql,
  { book, eventTypes, fromId, belowId }: Matching,
  max: number,
): Promise<number> {
  const [row] = await sql<{ count: bigint }>(
    `select count(*)
     from (
       select
       from event
       where book_id = $1
         and type = any ($2::text[])
         and id >= $3
         and id < $4
       limit $5
     ) matched`,
    [book, eventTypes, fromId, belowId, max],
  );
  return Number(row?.count ?? 0);
}

/**
 * Counts the events of which no endpoint of `endpoints` has a delivery: name one endpoint. Null if there are more than
 * `max` events to look at, missed or not: each costs a look-up, 2 to 4 s for a million. So they are counted before.
 *
 * The look-up is a `filter`: for a join, Postgres may read the deliveries of all books.
 */
export async function countMissed(sql: Sql, matching: Matching, max: number): Promise<number | null> {
  if ((await countEvents(sql, matching, max + 1)) > max) return null;
  const { book, endpoints, eventTypes, fromId, belowId } = matching;
  const [row] = await sql<{ missed: bigint }>(
    `select count(*) filter (
       where not exists (select from delivery d where d.event_id = e.id and d.endpoint_id = any ($2::uuid[]))
     ) as missed
     from event e
     where e.book_id = $1
       and e.id >= $4
       and e.id < $5
       and e.type = any ($3::text[])
       and e.object_id <> all ($6::text[])`,
    [book, endpoints, eventTypes, fromId, belowId, endpoints.map((id) => idOf("we", id))],
  );
  return Number(row?.missed ?? 0);
}

/**
 * The next deliveries of one endpoint after an id, oldest first. Reads a range of the index for each type and status,
 * and merges the ranges.
 */
export async function nextDeliveries(
  sql: Sql,
  matching: Pick<Matching, "book" | "eventTypes" | "belowId">,
  endpointId: string,
  statuses: readonly string[],
  afterId: string,
  limit: number,
): Promise<string[]> {
  const combinations = matching.eventTypes.flatMap((type) => statuses.map((status) => ({ type, status })));
  const key = "d.book_id, d.endpoint_id, d.event_type, d.filed_status, d.id";
  const walk = `
       select d.id
       from delivery d
       where (${key}) > ($1, $2::uuid, w.event_type, w.filed_status, $3::uuid)
         and (${key}) < ($1, $2::uuid, w.event_type, w.filed_status, $4::uuid)
       order by ${key}
       limit $5`;
  const rows = await sql<{ id: string }>(
    `select f.id
     from ${walkEach({ event_type: "$6::text[]", filed_status: "$7::text[]" }, walk, "f")}
     order by f.id
     limit $5`,
    [
      matching.book,
      endpointId,
      afterId,
      matching.belowId,
      limit,
      combinations.map(({ type }) => type),
      combinations.map(({ status }) => status),
    ],
  );
  return rows.map(({ id }) => id);
}

export interface ScannedEvent extends StoredEventRow {
  readonly is_missed: boolean;
}

/**
 * The next events of the book after an id, oldest first, and whether the endpoint has missed each. That it was disabled
 * itself is an event for the others.
 */
export function nextEvents(
  sql: Sql,
  matching: Pick<Matching, "book" | "eventTypes" | "belowId">,
  endpointId: string,
  afterId: string,
  limit: number,
): Promise<ScannedEvent[]> {
  return sql<ScannedEvent>(
    `select e.id, e.type, e.object_id, e.sequence, e.payload, e.created_at,
       e.type = any ($5::text[])
         and not exists (select from delivery d where d.event_id = e.id and d.endpoint_id = $2)
         and e.object_id <> $7 as is_missed
     from event e
     where (e.book_id, e.id) > ($1, $3::uuid)
       and (e.book_id, e.id) < ($1, $4::uuid)
     order by e.book_id, e.id
     limit $6`,
    [
      matching.book,
      endpointId,
      afterId,
      matching.belowId,
      matching.eventTypes,
      limit,
      idOf("we", endpointId),
    ],
  );
}
