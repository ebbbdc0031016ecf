import { lowestUuidAt } from "../../../../contracts/ids/ids.ts";
import { aboveAllUuids } from "../../../platform/persistence/page.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { lockDroppedChanges } from "../../events/store/dropped-changes.ts";

/** One page of a walk over the oldest rows. */
export interface ExpiredPage {
  /** Where the next page begins, or null after the last one. */
  readonly last: string | null;
  readonly deleted: number;
}

/** What was made before these times is deleted. */
export interface DeliveryBounds {
  /** Delivered and Cancelled ones, from their acknowledgement or creation. */
  readonly ended: Date;
  /** DeadLettered ones, from their creation. */
  readonly deadLettered: Date;
}

/** Of a `page` that is full, `last` is its last row. */
const pageResult = `select
    (select count(*) from deleted)::int as deleted,
    (select id from page order by id offset $1::int - 1 limit 1) as last`;

/**
 * Deletes deliveries that are over for long enough, with their attempts: those among the next `max` after `after`, by
 * id, which is the order of their creation. Open ones stay, however old. A row that is being written is skipped.
 */
export async function deleteExpiredDeliveries(
  sql: Sql,
  { ended, deadLettered }: DeliveryBounds,
  after: string,
  max: number,
): Promise<ExpiredPage> {
  const newest = ended > deadLettered ? ended : deadLettered;
  const [page] = await sql<ExpiredPage>(
    `with page as materialized (
       select id
       from delivery
       where id > $2
         and id < $3
       order by id
       limit $1::int
     ),
     expired as (
       select id
       from delivery
       where id = any (array(select id from page))
         and case status
           when 'Delivered' then coalesce(acknowledged_at, created_at) < $4
           when 'Cancelled' then created_at < $4
           when 'DeadLettered' then created_at < $5
           else false
         end
       for update skip locked
     ),
     deleted as (
       delete from delivery
       where id = any (array(select id from expired))
       returning id
     ),
     attempts as (
       delete from attempt
       where delivery_id = any (array(select id from deleted))
     )
     ${pageResult}`,
    [max, after, lowestUuidAt(newest), ended, deadLettered],
  );
  return page ?? { last: null, deleted: 0 };
}

/** The next book that has events after this one (`belowAllUuids`: the first), or undefined. */
export async function nextBookWithEvents(sql: Sql, after: string): Promise<string | undefined> {
  const [row] = await sql<{ book_id: string }>(
    `select book_id
     from event
     where (book_id, id) > ($1, '${aboveAllUuids}')
     order by book_id, id
     limit 1`,
    [after],
  );
  return row?.book_id;
}

/**
 * Deletes a book's events from before a time, with their renderings, and remembers their changes: those among the next
 * `max` after `after` that no delivery needs any more. Call it in a transaction: it locks the book's dropped changes.
 */
export async function deleteExpiredEvents(
  sql: Sql,
  book: string,
  before: Date,
  after: string,
  max: number,
): Promise<ExpiredPage> {
  await lockDroppedChanges(sql, book);
  const [page] = await sql<ExpiredPage>(
    `with page as materialized (
       select id
       from event
       where (book_id, id) > ($2, $3::uuid)
         and (book_id, id) < ($2, $4::uuid)
       order by book_id, id
       limit $1::int
     ),
     deleted as (
       delete from event e
       where e.book_id = $2
         and e.id = any (array(select id from page))
         and not exists (select from delivery d where d.event_id = e.id)
       returning id, type, object_id, sequence, change_key
     ),
     renderings as (
       delete from rendering
       where event_id = any (array(select id from deleted))
     ),
     remembered as (
       insert into dropped_change (book_id, object_id, sequence, change_key)
       select $2, object_id, sequence, change_key
       from deleted
       where type not in ('test.event', 'webhook_endpoint.disabled')
       on conflict do nothing
     )
     ${pageResult}`,
    [max, book, after, lowestUuidAt(before)],
  );
  return page ?? { last: null, deleted: 0 };
}
