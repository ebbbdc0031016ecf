import { lowestUuidAt } from "../../../../contracts/ids/ids.ts";
import { aboveAllUuids } from "../../../platform/persistence/page.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** How many rows one call folds at most. */
export const maxFolded = 20_000;
const hourMs = 3_600_000;

/**
 * Adds what the triggers counted to the counters, and deletes it. Returns how many rows it deleted. Counters are locked
 * in the order of their keys, so that instances don't deadlock.
 */
export async function foldDeltas(sql: Sql): Promise<number> {
  const [row] = await sql<{ folded: number }>(
    `with taken as (
       delete from delivery_delta
       where ctid = any (array(select ctid from delivery_delta limit $1))
       returning *
     ),
     folded as (
       insert into delivery_count as c (book_id, day, endpoint_id, committed, delivered, dead, cancelled)
       select book_id, day, endpoint_id, sum(committed), sum(delivered), sum(dead), sum(cancelled)
       from taken
       group by book_id, day, endpoint_id
       order by book_id, day, endpoint_id
       on conflict (book_id, day, endpoint_id) do update
       set committed = c.committed + excluded.committed,
         delivered = c.delivered + excluded.delivered,
         dead = c.dead + excluded.dead,
         cancelled = c.cancelled + excluded.cancelled
     )
     select count(*)::int as folded
     from taken`,
    [maxFolded],
  );
  return row?.folded ?? 0;
}

export interface CountRow {
  readonly endpoint_id: string;
  readonly committed: bigint;
  readonly delivered: bigint;
  readonly dead: bigint;
  readonly cancelled: bigint;
}

/** The counts of book `$1` on day `$2`, with what is not folded yet. */
const countsOfDay = `select endpoint_id, sum(committed)::bigint as committed, sum(delivered)::bigint as delivered,
    sum(dead)::bigint as dead, sum(cancelled)::bigint as cancelled
  from (
    select endpoint_id, committed, delivered, dead, cancelled
    from delivery_count
    where book_id = $1
      and day = $2::date
    union all
    select endpoint_id, committed, delivered, dead, cancelled
    from delivery_delta
    where book_id = $1
      and day = $2::date
  ) counted
  group by endpoint_id`;

/** The counts of a book's endpoints on a day, newest endpoint first, `limit + 1` of them. */
export function readCounts(
  sql: Sql,
  book: string,
  day: string,
  before: string | null,
  limit: number,
): Promise<CountRow[]> {
  return sql<CountRow>(
    `select *
     from (${countsOfDay}) counts
     where endpoint_id < $3::uuid
     order by endpoint_id desc
     limit $4`,
    [book, day, before ?? aboveAllUuids, limit + 1],
  );
}

export interface Difference {
  readonly endpoint_id: string;
  /** Committed, delivered, dead and cancelled. */
  readonly counted: readonly number[];
  readonly stored: readonly number[];
}

/** The endpoints of a book whose counts of a day are not those of its deliveries. One statement: one snapshot. */
export function findDifferences(sql: Sql, book: string, day: string): Promise<Difference[]> {
  const dayMs = Date.parse(`${day}T00:00:00Z`);
  return sql<Difference>(
    `with counted as (${countsOfDay}),
     stored as (
       select endpoint_id, count(*) as committed,
         count(*) filter (where status = 'Delivered') as delivered,
         count(*) filter (where status = 'DeadLettered') as dead,
         count(*) filter (where status = 'Cancelled') as cancelled
       from delivery
       where book_id = $1
         and id >= $3::uuid
         and id < $4::uuid
         and (created_at at time zone 'UTC')::date = $2::date
       group by endpoint_id
     ),
     compared as (
       select endpoint_id,
         array[coalesce(c.committed, 0), coalesce(c.delivered, 0), coalesce(c.dead, 0), coalesce(c.cancelled, 0)]::int[]
           as counted,
         array[coalesce(s.committed, 0), coalesce(s.delivered, 0), coalesce(s.dead, 0), coalesce(s.cancelled, 0)]::int[]
           as stored
       from counted c
       full join stored s using (endpoint_id)
     )
     select endpoint_id, counted, stored
     from compared
     where counted <> stored
     order by endpoint_id`,
    // An id is made a moment before the delivery is created.
    [book, day, lowestUuidAt(new Date(dayMs - hourMs)), lowestUuidAt(new Date(dayMs + 25 * hourMs))],
  );
}

/** The books after one that have endpoints, or had. */
export async function booksWithEndpoints(sql: Sql, after: string, limit: number): Promise<string[]> {
  const rows = await sql<{ book_id: string }>(
    `select distinct book_id
     from endpoint
     where book_id > $1
     order by book_id
     limit $2`,
    [after, limit],
  );
  return rows.map((row) => row.book_id);
}

/** Of these days, those that were compared without a difference. */
export async function agreedDays(sql: Sql, days: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await sql<{ day: string }>(
    `select day::text as day
     from delivery_count_check
     where day = any ($1::date[])
       and differences = 0`,
    [days],
  );
  return new Set(rows.map(({ day }) => day));
}

export async function recordCheck(sql: Sql, day: string, at: Date, differences: number): Promise<void> {
  await sql(
    `insert into delivery_count_check (day, checked_at, differences)
     values ($1::date, $2, $3)
     on conflict (day) do update
     set checked_at = excluded.checked_at,
       differences = excluded.differences`,
    [day, at, differences],
  );
}
