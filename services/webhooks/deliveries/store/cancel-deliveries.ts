import { unrecordedOf } from "./leases.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { uuidArray } from "../../../platform/persistence/uuid-array.ts";

/**
 * What the receiver has acknowledged is Delivered, also while a retry or a replay sends it again. Without its lease, an
 * attempt that is under way and fails no longer changes the delivery.
 */
const cancelled = `status = case when acknowledged_at is null then 'Cancelled' else 'Delivered' end,
       next_attempt_at = null,
       claimable_at = null,
       due_in_book = null,
       lease_id = null`;

/**
 * Cancels open deliveries of a book's endpoint: at most `max` that are claimable, and all under their first lease.
 * Skips those whose attempt is being recorded, so that it never waits while it holds locks.
 */
export async function cancelOpen(sql: Sql, book: string, endpointId: string, max: number): Promise<void> {
  await sql(
    `update delivery
     set ${cancelled}
     where id = any (array(
         select id
         from delivery
         where endpoint_id = $2
           and claimable_at is not null
         limit $3
         for update skip locked
       ))
       or id = any (array(
         select d.id
         from lease l
         cross join ${unrecordedOf("and x.endpoint_id = $2 for update skip locked")}
         where l.book_id = $1
       ))`,
    [book, endpointId, max],
  );
}

/** Cancels those of these deliveries whose endpoint was deleted, if this lease still is their latest. */
export async function cancelOfDeleted(
  sql: Sql,
  deliveryIds: readonly string[],
  leaseId: string,
): Promise<void> {
  await sql(
    `update delivery d
     set ${cancelled}
     from endpoint e
     where d.id = any ($1::uuid[])
       and d.lease_id = $2
       and e.id = d.endpoint_id
       and e.deleted_at is not null`,
    [uuidArray(deliveryIds), leaseId],
  );
}
