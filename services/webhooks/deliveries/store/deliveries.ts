import { type BookId, idOf, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { BookFilter } from "../../../platform/handlers/batch-by-book.ts";
import type { Lease } from "../domain/delivery.ts";
import type { DeliveryStatus } from "../domain/retry-schedule.ts";
import { belowAllUuids } from "../../../platform/persistence/page.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { timeInSql } from "../../../platform/clock/book-clocks.ts";
import { uuidArray } from "../../../platform/persistence/uuid-array.ts";
import { claimableSql } from "./retries-in-book.ts";

export interface ClaimedRow {
  readonly id: string;
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly attempt_count: number;
  readonly attempts_allowed: number;
  readonly acknowledged_before: boolean;
  readonly body: string;
}

export interface Claim {
  /** How many deliveries to claim at most, for the endpoints that have a queue. */
  readonly capacities: ReadonlyMap<string, number>;
  readonly maxPerEndpoint: number;
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

/** A disabled endpoint's deliveries stay as they are. Those of a deleted one are due at once, to be cancelled. */
const isOpen = "(e.status = 'Enabled' or e.deleted_at is not null)";
const dueUntil = (now: string) =>
  `case when e.deleted_at is null then ${now}::timestamptz else 'infinity' end`;

/** Rows that another instance is claiming are skipped. */
const claimDueSql = `${waitingAfter("$8")},
  due as (
    select oldest.id
    from waiting
    join endpoint e on e.id = waiting.endpoint_id
      and ${isOpen}
      and (e.book_id = any ($9::uuid[])) is not distinct from $10
    left join unnest($1::uuid[], $2::int[]) as known (endpoint_id, capacity) using (endpoint_id)
    cross join lateral (
      select d.id
      from delivery d
      where d.endpoint_id = waiting.endpoint_id
        and d.claimable_at <= ${dueUntil("$5")}
      order by d.claimable_at
      limit least(known.capacity, $3)
      for update skip locked
    ) oldest
    limit $4
  ),
  claimed as (
    update delivery d
    set lease_id = $6,
      claimable_at = $7,
      due_in_book = null
    from due
    where d.id = due.id
    returning d.*
  )
  select c.id, c.event_id, c.endpoint_id, c.attempt_count, c.attempts_allowed,
    c.acknowledged_at is not null as acknowledged_before, r.body
  from claimed c
  join rendering r on r.event_id = c.event_id
    and r.api_version = c.api_version
  order by c.id`;

/**
 * Claims deliveries that are due or whose lease has ended: the oldest of each endpoint, up to its capacity. If the
 * endpoint was deleted, also those that are not due.
 */
export function claimDue(sql: Sql, claim: Claim): Promise<ClaimedRow[]> {
  return sql<ClaimedRow>(claimDueSql, [
    [...claim.capacities.keys()],
    [...claim.capacities.values()],
    claim.maxPerEndpoint,
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
         select from delivery d where d.endpoint_id = waiting.endpoint_id and d.claimable_at <= ${dueUntil("$1")}
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

/** Releases deliveries that were claimed and not sent, so that another instance need not wait for the lease to end. */
export async function releaseLeases(sql: Sql, deliveryIds: readonly string[], now: Date): Promise<void> {
  if (deliveryIds.length === 0) return;
  await sql(
    `update delivery
     set claimable_at = $2,
       lease_id = null
     where id = any ($1::uuid[])
       and status in ('Pending', 'Retrying')`,
    [uuidArray(deliveryIds), now],
  );
}

export interface AttemptRow {
  readonly id: string;
  readonly deliveryId: string;
  readonly book: string;
  readonly leaseId: string;
  readonly at: Date;
  readonly durationMs: number;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly error: string | null;
  readonly acknowledged: boolean;
  /** The delivery's new status. */
  readonly status: DeliveryStatus;
  /** In real time. */
  readonly nextAttemptAt: Date | null;
}

/**
 * Inserts attempts and updates their deliveries in one statement. Every attempt is stored. It updates its delivery
 * only if its lease is the latest; an acknowledgement always does, because the receiver has the event.
 *
 * It waits half a second for a lock at most, because attempts of other books wait with it. That is set in the same
 * statement, which alone is then a transaction.
 *
 * A new delivery that is acknowledged changes no indexed column: its update is a HOT update
 * (record-attempts.db.spec.ts).
 *
 * In a book with a clock of its own, the pause before the next attempt is one on that clock. Its row is locked, so that
 * a change of the clock finds every retry that was recorded by the time before.
 */
export async function recordAttempts(sql: Sql, attempts: readonly AttemptRow[]): Promise<void> {
  await sql(
    `with result as (
       select r.*, r.at + r.duration_ms * interval '1 millisecond' as ended_at
       from (select set_config('lock_timeout', '500ms', true)) as limited
       cross join unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[], $5::int[], $6::int[], $7::text[], $8::text[],
         $9::boolean[], $10::text[], $11::timestamptz[], $12::uuid[])
         as r (id, delivery_id, lease_id, at, duration_ms, response_status, response_body, error, acknowledged, status,
           next_attempt_at, book_id)
     ),
     inserted as (
       insert into attempt (delivery_id, id, at, duration_ms, response_status, response_body, error)
       select delivery_id, id, at, duration_ms, response_status, response_body, error
       from result
     )
     update delivery d
     set status = r.status,
       attempt_count = d.attempt_count + 1,
       next_attempt_at = coalesce(c.due_in_book, r.next_attempt_at),
       due_in_book = c.due_in_book,
       claimable_at = case when c.due_in_book is null then r.next_attempt_at else c.claimable_at end,
       lease_id = null,
       acknowledged_at = case when r.acknowledged then coalesce(d.acknowledged_at, r.at) else d.acknowledged_at end
     from result r
     left join lateral (
       select t.due_in_book, ${claimableSql("b", "t.due_in_book", "r.ended_at")} as claimable_at
       from book_clock b
       cross join lateral (
         select ${timeInSql("b", "r.ended_at")} + (r.next_attempt_at - r.ended_at) as due_in_book
       ) t
       where b.book_id = r.book_id
         and r.next_attempt_at is not null
       for share of b
     ) c on true
     where d.id = r.delivery_id
       and (d.lease_id = r.lease_id or r.acknowledged)`,
    [
      uuidArray(attempts.map((attempt) => attempt.id)),
      uuidArray(attempts.map((attempt) => attempt.deliveryId)),
      uuidArray(attempts.map((attempt) => attempt.leaseId)),
      attempts.map((attempt) => attempt.at),
      attempts.map((attempt) => attempt.durationMs),
      attempts.map((attempt) => attempt.responseStatus),
      attempts.map((attempt) => attempt.responseBody),
      attempts.map((attempt) => attempt.error),
      attempts.map((attempt) => attempt.acknowledged),
      attempts.map((attempt) => attempt.status),
      attempts.map((attempt) => attempt.nextAttemptAt),
      uuidArray(attempts.map((attempt) => attempt.book)),
    ],
  );
}

/**
 * Claims one delivery for one more attempt, whatever its status. Returns undefined if an attempt is in flight, or if
 * the book has no such delivery.
 */
export async function claimForRetry(
  sql: Sql,
  book: string,
  deliveryId: string,
  lease: Lease,
  now: Date,
): Promise<ClaimedRow | undefined> {
  const [row] = await sql<ClaimedRow>(
    `with claimed as (
       update delivery
       set status = case when attempt_count = 0 then 'Pending' else 'Retrying' end,
         attempts_allowed = greatest(attempts_allowed, attempt_count + 1),
         next_attempt_at = coalesce((select ${timeInSql("b", "$3")} from book_clock b where b.book_id = $2), $3),
         due_in_book = null,
         lease_id = $4,
         claimable_at = $5
       where id = $1
         and book_id = $2
         and (lease_id is null or claimable_at <= $3)
       returning *
     )
     select c.id, c.event_id, c.endpoint_id, c.attempt_count, c.attempts_allowed,
       c.acknowledged_at is not null as acknowledged_before, r.body
     from claimed c
     join rendering r on r.event_id = c.event_id
       and r.api_version = c.api_version`,
    [deliveryId, book, now, lease.id, lease.endsAt],
  );
  return row;
}
