import type { WebhookReplay } from "../../../../contracts/http/webhooks/replays.ts";
import { idOf } from "../../../../contracts/ids/ids.ts";
import { aboveAllUuids, belowAllUuids } from "../../../platform/persistence/page.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

export interface ReplayRow {
  readonly id: string;
  readonly status: "Running" | "Done" | "Cancelled";
  readonly endpoint_id: string | null;
  readonly event_types: string[] | null;
  readonly statuses: WebhookReplay["statuses"];
  readonly since: Date;
  readonly until: Date;
  readonly include_missed: boolean;
  readonly matched: number;
  readonly queued: bigint;
  readonly created_at: Date;
  readonly ended_at: Date | null;
}

export interface NewReplay {
  readonly id: string;
  readonly book: string;
  readonly endpointId: string | null;
  readonly eventTypes: readonly string[] | null;
  readonly statuses: readonly string[];
  readonly since: Date;
  readonly until: Date;
  readonly includeMissed: boolean;
  /** The ids of what is replayed: from this one, below that one. */
  readonly fromId: string;
  readonly belowId: string;
  readonly matched: number;
  readonly createdAt: Date;
  /** The endpoints that get something. */
  readonly endpoints: readonly string[];
}

/** Of a replay `r`: a `ReplayRow`. */
export const replayColumns = `r.id, r.status, r.endpoint_id, r.event_types, r.statuses, r.since, r.until, r.include_missed, r.matched,
  r.created_at, r.ended_at,
  (select coalesce(sum(p.queued), 0) from replay_part p where p.book_id = r.book_id and p.replay_id = r.id) as queued`;

/** Stores a replay with a part for each endpoint. Returns false if the book has one under way. */
export async function insertReplay(sql: Sql, replay: NewReplay): Promise<boolean> {
  const rows = await sql(
    `with made as (
       insert into replay (book_id, id, status, endpoint_id, event_types, statuses, since, until, include_missed,
         below_id, matched, created_at)
       values ($1, $2, 'Running', $3, $4, $5, $6, $7, $8, $9, $10, $11)
       on conflict (book_id) where status = 'Running' do nothing
       returning book_id, id
     ),
     parts as (
       insert into replay_part (book_id, replay_id, endpoint_id, after_delivery, after_event)
       select made.book_id, made.id, e.id, $12, case when $8 then $12::uuid end
       from made
       cross join unnest($13::uuid[]) as e (id)
     )
     select id
     from made`,
    [
      replay.book,
      replay.id,
      replay.endpointId,
      replay.eventTypes,
      replay.statuses,
      replay.since,
      replay.until,
      replay.includeMissed,
      replay.belowId,
      replay.matched,
      replay.createdAt,
      replay.fromId,
      replay.endpoints,
    ],
  );
  return rows.length > 0;
}

/** The id of the book's replay that is under way, or undefined. */
export async function runningReplay(sql: Sql, book: string): Promise<string | undefined> {
  const [row] = await sql<{ id: string }>("select id from replay where book_id = $1 and status = 'Running'", [
    book,
  ]);
  return row?.id;
}

/** One replay of this book, or undefined. */
export async function readReplay(sql: Sql, book: string, id: string): Promise<ReplayRow | undefined> {
  const [row] = await sql<ReplayRow>(
    `select ${replayColumns}
     from replay r
     where r.book_id = $1
       and r.id = $2`,
    [book, id],
  );
  return row;
}

/** A book's replays, newest first, `limit + 1` of them. */
export function listReplays(
  sql: Sql,
  book: string,
  before: string | null,
  limit: number,
): Promise<ReplayRow[]> {
  return sql<ReplayRow>(
    `select ${replayColumns}
     from replay r
     where (r.book_id, r.id) >= ($1, '${belowAllUuids}')
       and (r.book_id, r.id) < ($1, $2::uuid)
     order by r.book_id desc, r.id desc
     limit $3`,
    [book, before ?? aboveAllUuids, limit + 1],
  );
}

/**
 * Ends a replay that is under way, in two statements of one transaction. Returns false if there is none with this id.
 *
 * Locks the parts before the replay, as a step of a part does: with the other order, the two could deadlock.
 */
export async function endReplay(
  sql: Sql,
  book: string,
  id: string,
  status: "Done" | "Cancelled",
  now: Date,
): Promise<boolean> {
  await sql(
    `with open as (
       select endpoint_id
       from replay_part
       where book_id = $1
         and replay_id = $2
         and not is_done
       order by endpoint_id
       for update
     )
     update replay_part p
     set is_done = true
     from open
     where p.book_id = $1
       and p.replay_id = $2
       and p.endpoint_id = open.endpoint_id`,
    [book, id],
  );
  const rows = await sql(
    `update replay
     set status = $3,
       ended_at = $4
     where book_id = $1
       and id = $2
       and status = 'Running'
     returning id`,
    [book, id, status, now],
  );
  return rows.length > 0;
}

export function toReplay(row: ReplayRow): WebhookReplay {
  return {
    id: idOf("rpl", row.id),
    status: row.status,
    endpointId: row.endpoint_id === null ? null : idOf("we", row.endpoint_id),
    eventTypes: row.event_types,
    statuses: row.statuses,
    since: row.since.toISOString(),
    until: row.until.toISOString(),
    includeMissed: row.include_missed,
    matched: row.matched,
    queued: Number(row.queued),
    createdAt: row.created_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
  };
}
