import type { z } from "zod";
import {
  deliveryStatus,
  eventTypes,
  type webhookDeliveryQuery,
} from "../../../../contracts/http/webhooks/webhooks.ts";
import { lowestUuidAt, uuidOf } from "../../../../contracts/ids/ids.ts";
import { aboveAllUuids, belowAllUuids } from "../../../platform/persistence/page.ts";
import { walkEach } from "../../../platform/persistence/params.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { unrecordedOf } from "./leases.ts";
import { type DeliveryRow, deliveryColumns as columns } from "./read-delivery.ts";

type DeliveryQuery = z.output<typeof webhookDeliveryQuery>;

/**
 * A book's deliveries, newest first, `limit + 1` of them. Times are those of the ids. Every filter reads by an index
 * (query-deliveries.plans.db.spec.ts).
 */
export async function listDeliveries(
  sql: Sql,
  book: string,
  query: DeliveryQuery,
  before: string | null,
): Promise<DeliveryRow[]> {
  const { status, eventType, objectId, eventId } = query;
  const from = query["createdAt[gte]"];
  const until = query["createdAt[lt]"];
  const lowest = from === undefined ? belowAllUuids : lowestUuidAt(new Date(from));
  const uppers = [before ?? aboveAllUuids, ...(until === undefined ? [] : [lowestUuidAt(new Date(until))])];
  const page = [book, uppers.sort()[0], query.limit + 1, lowest];
  const endpoints = query.endpointId?.map(uuidOf);
  if (objectId !== undefined || eventId !== undefined) return listOfEvents(sql, page, endpoints, query);
  if (endpoints ?? status ?? eventType) return listByTypeAndStatus(sql, page, endpoints, query);
  return sql<DeliveryRow>(
    `select ${columns}
     from delivery d
     where (book_id, id) >= ($1, $4::uuid)
       and (book_id, id) < ($1, $2::uuid)
     order by book_id desc, id desc
     limit $3`,
    page,
  );
}

/**
 * The deliveries of one object's events, oldest first: events by the key of a change, each with at most one delivery
 * per endpoint. Only the first `limit` events are read, in the order of their ids.
 */
export function listDeliveriesOfObject(
  sql: Sql,
  book: string,
  objectId: string,
  limit: number,
): Promise<DeliveryRow[]> {
  return sql<DeliveryRow>(
    `with of_object as materialized (
       select x.id
       from event x
       where x.book_id = $1
         and x.object_id = $2
       order by x.id
       limit $3
     )
     select ${columns}
     from of_object e
     cross join lateral (select * from delivery x where x.event_id = e.id offset 0) d
     where d.book_id = $1
     order by e.id, d.id
     limit $3`,
    [book, objectId, limit],
  );
}

/**
 * Deliveries of the named events, or of all events of one object, which are few. Needs no index for the other filters:
 * an event has at most one delivery per endpoint, a hundred at most.
 */
function listOfEvents(
  sql: Sql,
  page: readonly unknown[],
  endpoints: readonly string[] | undefined,
  { status, eventType, objectId, eventId }: DeliveryQuery,
): Promise<DeliveryRow[]> {
  const events =
    objectId === undefined
      ? "select unnest($8::uuid[])"
      : `select e.id
         from event e
         where e.book_id = $1
           and e.object_id = $9
           and ($8::uuid[] is null or e.id = any ($8))`;
  return sql<DeliveryRow>(
    `with wanted (event_id) as materialized (
       ${events}
     )
     select ${columns}
     from wanted w
     cross join lateral (select * from delivery x where x.event_id = w.event_id offset 0) d
     where d.book_id = $1
       and d.id >= $4
       and d.id < $2
       and ($5::uuid[] is null or d.endpoint_id = any ($5))
       and ($6::text[] is null or d.status = any ($6))
       and ($7::text[] is null or d.event_type = any ($7))
     order by d.id desc
     limit $3`,
    [
      ...page,
      endpoints ?? null,
      status ?? null,
      eventType ?? null,
      eventId?.map(uuidOf) ?? null,
      ...(objectId === undefined ? [] : [objectId]),
    ],
  );
}

/**
 * Reads one range of the index for each combination of endpoint, type and filed status, and merges the ranges. A range
 * is a row comparison instead of `column = value`, so that only this index has the requested order. With `=` the
 * planner may assume that every value is common and scan all deliveries of the book.
 *
 * Deliveries under their first lease are filed as Delivered and are Pending. A list of Delivered ones skips them; a
 * list of Pending ones finds them by the book's leases. They are no more than instances have in memory.
 */
function listByTypeAndStatus(
  sql: Sql,
  page: readonly unknown[],
  endpoints: readonly string[] | undefined,
  { eventType, status }: DeliveryQuery,
): Promise<DeliveryRow[]> {
  const types: readonly string[] = eventType ?? eventTypes;
  const statuses = status ?? deliveryStatus.options;
  const combinations = (endpoints ?? [null]).flatMap((endpoint) =>
    types.flatMap((type) => statuses.map((value) => ({ endpoint, type, value }))),
  );
  const leading = [...(endpoints === undefined ? [] : ["endpoint_id"]), "event_type", "filed_status"];
  const columnsOf = (row: "d" | "w") => leading.map((name) => `${row}.${name}`);
  const key = ["d.book_id", ...columnsOf("d"), "d.id"];
  const range = ["$1", ...columnsOf("w")].join(", ");
  const walk = `
       select d.id as found_id
       from delivery d
       where (${key.join(", ")}) >= (${range}, $4::uuid)
         and (${key.join(", ")}) < (${range}, $2::uuid)
         and d.status = any ($7::text[])
       order by ${key.map((column) => `${column} desc`).join(", ")}
       limit $3`;
  const values = {
    event_type: "$5::text[]",
    filed_status: "$6::text[]",
    ...(endpoints === undefined ? {} : { endpoint_id: "$8::uuid[]" }),
  };
  const onlyPending = statuses.includes("Pending") && !statuses.includes("Delivered");
  return sql<DeliveryRow>(
    `select ${columns}
     from (
       select f.found_id
       from ${walkEach(values, walk, "f")}
       ${onlyPending ? `union all ${leasedOf(endpoints === undefined ? "" : "and d.endpoint_id = any ($8)")}` : ""}
       order by found_id desc
       limit $3
     ) f
     cross join lateral (select * from delivery x where x.id = f.found_id offset 0) d
     order by d.id desc
     limit $3`,
    [
      ...page,
      combinations.map(({ type }) => type),
      combinations.map(({ value }) => value),
      statuses,
      ...(endpoints === undefined ? [] : [combinations.map(({ endpoint }) => endpoint)]),
    ],
  );
}

/** The book's deliveries under their first lease, of the types `$5`. */
const leasedOf = (andOfEndpoints: string) =>
  `select d.id
       from lease l
       cross join ${unrecordedOf()}
       where l.book_id = $1
         and d.id >= $4
         and d.id < $2
         and d.event_type = any ($5)
         ${andOfEndpoints}`;
