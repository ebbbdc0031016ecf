import { timeInSql } from "../../../platform/clock/book-clocks.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { uuidArray } from "../../../platform/persistence/uuid-array.ts";
import type { Lease } from "../domain/delivery.ts";
import { type ClaimedRow, claimedRows } from "./deliveries.ts";

/** Whether a delivery can be claimed at `$3`: no instance holds a lease of it that has not ended. */
const isFree = "(lease_id is null or claimable_at <= $3)";

/** Leases a delivery of book `$2` for one more attempt: from `$3` until `$5`, under the lease `$4`. */
const oneMoreAttempt = `status = case when attempt_count = 0 then 'Pending' else 'Retrying' end,
    attempts_allowed = greatest(attempts_allowed, attempt_count + 1),
    next_attempt_at = coalesce((select ${timeInSql("b", "$3")} from book_clock b where b.book_id = $2), $3),
    due_in_book = null,
    lease_id = $4,
    claimable_at = $5`;

const claimForRetrySql = `with claimed as (
    update delivery
    set ${oneMoreAttempt}
    where id = $1
      and book_id = $2
      and ${isFree}
    returning *
  )
  ${claimedRows}`;

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
  const [row] = await sql<ClaimedRow>(claimForRetrySql, [deliveryId, book, now, lease.id, lease.endsAt]);
  return row;
}

const claimForReplaySql = `with free as (
    select id
    from delivery
    where id = any ($1::uuid[])
      and book_id = $2
      and status = any ($6::text[])
      and ${isFree}
    order by id
    for update skip locked
  ),
  claimed as (
    update delivery d
    set ${oneMoreAttempt}
    from free
    where d.id = free.id
    returning d.*
  )
  ${claimedRows}
  order by c.id`;

/**
 * Claims those of these deliveries that have one of the statuses, for one more attempt each. Leaves out those with an
 * attempt in flight and those that another session has locked: they are being sent anyway.
 */
export function claimForReplay(
  sql: Sql,
  book: string,
  deliveryIds: readonly string[],
  statuses: readonly string[],
  lease: Lease,
  now: Date,
): Promise<ClaimedRow[]> {
  return sql<ClaimedRow>(claimForReplaySql, [
    uuidArray(deliveryIds),
    book,
    now,
    lease.id,
    lease.endsAt,
    statuses,
  ]);
}
