import { eventTypes } from "../../../../contracts/http/webhooks/webhooks.ts";
import { type BookId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { openStatuses } from "./deliveries.ts";
import { unrecordedOf } from "./leases.ts";

/**
 * The real time from which any instance may claim a retry that is due at `due` on the book's clock (`clock` is an alias
 * of `book_clock`). If the clock runs: `due` minus its lead. If it is Manual: infinity until an advance reaches `due`,
 * then `realNow`.
 */
export const claimableSql = (clock: string, due: string, realNow: string) =>
  `case
    when ${clock}.stands_at is null then ${due} - ${clock}.lead_ms * interval '1 millisecond'
    when ${due} > ${clock}.stands_at then 'infinity'
    else ${realNow}::timestamptz
  end`;

/** What waits in a book moves over to the clock that has just begun; until now its time was real time. */
export async function moveRetriesToBook(sql: Sql, book: BookId): Promise<void> {
  await sql(
    `update delivery
     set due_in_book = next_attempt_at
     where book_id = $1
       and event_type = any ($2::text[])
       and filed_status = 'Retrying'
       and lease_id is null
       and due_in_book is null`,
    [uuidOf(book), eventTypes],
  );
}

/**
 * The retries of a book wait for its clock as it now is. Those whose time has come are due in real time: all of them
 * once the clock is Instant, where nothing waits for a time that an advance would have to reach.
 */
export async function followClock(sql: Sql, book: BookId, realNow: Date): Promise<void> {
  await sql(
    `update delivery d
     set claimable_at = case b.mode when 'Instant' then $2::timestamptz else ${claimableSql("b", "d.due_in_book", "$2")} end,
       due_in_book = case when b.mode = 'Instant' or d.due_in_book <= b.stands_at then null else d.due_in_book end
     from book_clock b
     where b.book_id = $1
       and d.book_id = b.book_id
       and d.due_in_book is not null
       and d.status = 'Retrying'
       and (b.stands_at is null or d.due_in_book <= b.stands_at or d.claimable_at < 'infinity')`,
    [uuidOf(book), realNow],
  );
}

/** When the next retry of a book is due, on the book's clock. Those of a disabled endpoint wait for nothing but it. */
export async function nextRetryDueAt(sql: Sql, book: BookId): Promise<Date | null> {
  const [row] = await sql<{ due_in_book: Date }>(
    `select d.due_in_book
     from delivery d
     join endpoint e on e.id = d.endpoint_id
       and e.status = 'Enabled'
     where d.book_id = $1
       and d.due_in_book is not null
       and d.status = 'Retrying'
     order by d.due_in_book
     limit 1`,
    [uuidOf(book)],
  );
  return row?.due_in_book ?? null;
}

/** A delivery whose attempt is due in real time or under way, and its endpoint, as stored `uuid`s. */
export interface DeliveryUnderWay {
  readonly id: string;
  readonly endpoint_id: string;
}

/**
 * One of the book's deliveries whose attempt is due or under way when it is `realNow`. Nobody attempts those of a
 * disabled endpoint.
 */
export async function findUnderWay(
  sql: Sql,
  book: BookId,
  realNow: Date,
): Promise<DeliveryUnderWay | undefined> {
  const [row] = await sql<DeliveryUnderWay>(
    `(select d.id, d.endpoint_id
      from lease l
      cross join ${unrecordedOf()}
      join endpoint e on e.id = d.endpoint_id
        and e.status = 'Enabled'
      where l.book_id = $1
      limit 1)
     union all
     (select d.id, d.endpoint_id
      from endpoint e
      cross join unnest(${openStatuses}) as open (filed_status)
      cross join lateral (
        select id, endpoint_id
        from delivery
        where endpoint_id = e.id
          and filed_status = open.filed_status
          and claimable_at < 'infinity'
          and (claimable_at <= $2 or lease_id is not null)
        order by claimable_at
        limit 1
      ) d
      where e.book_id = $1
        and e.status = 'Enabled'
        and e.deleted_at is null
      limit 1)
     limit 1`,
    [uuidOf(book), realNow],
  );
  return row;
}
