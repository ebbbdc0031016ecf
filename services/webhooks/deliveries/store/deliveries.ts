import { type BookId, idOf, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { BookFilter } from "../../../platform/handlers/batch-by-book.ts";
import type { Lane, Lease } from "../domain/delivery.ts";
import type { DeliveryStatus } from "../domain/retry-schedule.ts";
import { belowAllUuids } from "../../../platform/persistence/page.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { uuidArray } from "../../../platform/persistence/uuid-array.ts";

export interface ClaimedRow {
  readonly id: string;
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly attempt_count: number;
  readonly attempts_allowed: number;
  readonly acknowledged_before: boolean;
  readonly newest_secret_only: boolean;
  readonly body: string;
}

export interface Claim {
  /** How many deliveries to claim at most, for the endpoints that have a queue. */
  readonly capacities: readonly { endpointId: string; lane: Lane; capacity: number }[];
  readonly maxPerLane: number;
  readonly maxDeliveries: number;
  /** The endpoint where the last claim ended: only endpoints with a greater id are claimed. */
  readonly afterEndpoint: string;
  readonly filter: BookFilter;
  readonly lease: Lease;
  readonly now: Date;
}

/**
 * The endpoints with open deliveries. Skips from endpoint to endpoint along the index of open deliveries, so an
 * endpoint with a backlog of a million rows costs one step and does not delay the others.
 */
const waitingAfter = (endpoint: string) => `with recursive waiting as (
    (select endpoint_id
     from delivery
     where claimable_at is not null
       and endpoint_id > ${endpoint}
     order by endpoint_id
     limit 1)
    union all
    select (
      select d.endpoint_id
      from delivery d
      where d.claimable_at is not null
        and d.endpoint_id > waiting.endpoint_id
      order by d.endpoint_id
      limit 1)
    from waiting
    where waiting.endpoint_id is not null
  )`;

/** The deliveries of `claimed` with the bytes to send. */
export const claimedRows = `select c.id, c.event_id, c.endpoint_id, c.attempt_count, c.attempts_allowed,
    c.acknowledged_at is not null as acknowledged_before, c.newest_secret_only, r.body
  from claimed c
  join rendering r on r.event_id = c.event_id
    and r.api_version = c.api_version`;

/** A disabled endpoint's deliveries stay as they are. Those of a deleted one are due at once, to be cancelled. */
const isOpen = "(e.status = 'Enabled' or e.deleted_at is not null)";
const dueUntil = (now: string) =>
  `case when e.deleted_at is null then ${now}::timestamptz else 'infinity' end`;

/** The statuses of open deliveries, by which the index of open deliveries holds them. */
const statusOfLane: Readonly<Record<Lane, DeliveryStatus>> = { First: "Pending", Retry: "Retrying" };
export const openStatuses = "'{Pending, Retrying}'::text[]";

/** Of an endpoint with a rate limit, no more is claimed than it lets an instance send in a few seconds. */
const rateWindowSeconds = 5;

/**
 * First attempts and retries are claimed apart, so that those of one kind that wait never hide those of the other. Rows
 * that another instance is claiming are skipped.
 */
const claimDueSql = `${waitingAfter("$9")},
  due as (
    select oldest.id
    from waiting
    join endpoint e on e.id = waiting.endpoint_id
      and ${isOpen}
      and (e.book_id = any ($10::uuid[])) is not distinct from $11
    cross join unnest(${openStatuses}) as lane (filed_status)
    left join unnest($1::uuid[], $2::text[], $3::int[]) as known (endpoint_id, filed_status, capacity)
      on known.endpoint_id = waiting.endpoint_id
      and known.filed_status = lane.filed_status
    cross join lateral (
      select d.id
      from delivery d
      where d.endpoint_id = waiting.endpoint_id
        and d.filed_status = lane.filed_status
        and d.claimable_at <= ${dueUntil("$6")}
      order by d.claimable_at
      limit least(known.capacity, $4, e.rate_per_second * ${String(rateWindowSeconds)})
      for update skip locked
    ) oldest
    limit $5
  ),
  claimed as (
    update delivery d
    set lease_id = $7,
      claimable_at = $8,
      due_in_book = null
    from due
    where d.id = due.id
    returning d.*
  )
  ${claimedRows}
  order by c.id`;

/**
 * Claims deliveries that are due or whose lease has ended: the oldest of each lane of each endpoint, up to its
 * capacity. If the endpoint was deleted, also those that are not due.
 */
export function claimDue(sql: Sql, claim: Claim): Promise<ClaimedRow[]> {
  return sql<ClaimedRow>(claimDueSql, [
    claim.capacities.map(({ endpointId }) => endpointId),
    claim.capacities.map(({ lane }) => statusOfLane[lane]),
    claim.capacities.map(({ capacity }) => capacity),
    claim.maxPerLane,
    claim.maxDeliveries,
    claim.now,
    claim.lease.id,
    claim.lease.endsAt,
    claim.afterEndpoint,
    claim.filter.books.map(uuidOf),
    claim.filter.only,
  ]);
}

/** Books within the filter that have deliveries to claim or leases to end, at most `limit`. */
export async function booksWithDueDeliveries(
  sql: Sql,
  now: Date,
  limit: number,
  filter: BookFilter,
): Promise<BookId[]> {
  const rows = await sql<{ book_id: string }>(
    `${waitingAfter(`'${belowAllUuids}'`)}
     select book_id
     from (
       select e.book_id
       from waiting
       join endpoint e on e.id = waiting.endpoint_id
         and ${isOpen}
       where exists (
         select
         from delivery d
         where d.endpoint_id = waiting.endpoint_id
           and d.filed_status = any (${openStatuses})
           and d.claimable_at <= ${dueUntil("$1")}
       )
       union
       select book_id
       from lease
       where ends_at <= $1
     ) due
     where (book_id = any ($3::uuid[])) is not distinct from $4
     limit $2`,
    [now, limit, filter.books.map(uuidOf), filter.only],
  );
  return rows.map((row) => idOf("book", row.book_id));
}

/**
 * Releases deliveries that were claimed and not sent, so that another instance need not wait for the lease to end. If
 * it has ended, and another instance has leased a delivery since, that lease stays.
 */
export async function releaseLeases(
  sql: Sql,
  unsent: readonly { readonly id: string; readonly lease: Lease }[],
  now: Date,
): Promise<void> {
  if (unsent.length === 0) return;
  await sql(
    `update delivery d
     set claimable_at = $3,
       lease_id = null
     from unnest($1::uuid[], $2::uuid[]) as u (id, lease_id)
     where d.id = u.id
       and d.lease_id = u.lease_id
       and d.status in ('Pending', 'Retrying')`,
    [uuidArray(unsent.map(({ id }) => id)), uuidArray(unsent.map(({ lease }) => lease.id)), now],
  );
}
