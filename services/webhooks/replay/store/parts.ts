import type { Lease } from "../../deliveries/domain/delivery.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { uuidArray } from "../../../platform/persistence/uuid-array.ts";

/** What one endpoint still gets of a replay. Ids are stored `uuid`s. */
export interface OpenPart {
  readonly book_id: string;
  readonly replay_id: string;
  readonly endpoint_id: string;
}

/** A part that is locked for this transaction, with what its replay asks for. */
export interface LockedPart extends OpenPart {
  readonly event_types: string[] | null;
  readonly statuses: string[];
  readonly below_id: string;
  readonly after_delivery: string;
  readonly after_event: string | null;
  readonly deliveries_done: boolean;
  /** The types that the endpoint subscribes to now. */
  readonly endpoint_types: string[];
  readonly is_endpoint_deleted: boolean;
}

export interface PartProgress {
  readonly afterDelivery: string;
  readonly afterEvent: string | null;
  readonly deliveriesDone: boolean;
  readonly isDone: boolean;
  /** How many deliveries this step queued. */
  readonly queued: number;
}

/** Open parts of enabled and of deleted endpoints, after another one. Those of disabled endpoints rest. */
export function openParts(sql: Sql, after: OpenPart, limit: number): Promise<OpenPart[]> {
  return sql<OpenPart>(
    `select p.book_id, p.replay_id, p.endpoint_id
     from replay_part p
     join endpoint e on e.id = p.endpoint_id
       and (e.status = 'Enabled' or e.deleted_at is not null)
     where not p.is_done
       and (p.book_id, p.replay_id, p.endpoint_id) > ($1::uuid, $2::uuid, $3::uuid)
     order by p.book_id, p.replay_id, p.endpoint_id
     limit $4`,
    [after.book_id, after.replay_id, after.endpoint_id, limit],
  );
}

/** Locks a part, or returns undefined: another instance works on it, or it has ended. */
export async function lockPart(sql: Sql, part: OpenPart): Promise<LockedPart | undefined> {
  const [row] = await sql<LockedPart>(
    `select p.book_id, p.replay_id, p.endpoint_id, p.after_delivery, p.after_event, p.deliveries_done, r.event_types,
       r.statuses, r.below_id, e.event_types as endpoint_types, e.deleted_at is not null as is_endpoint_deleted
     from replay_part p
     join replay r on r.book_id = p.book_id
       and r.id = p.replay_id
     join endpoint e on e.id = p.endpoint_id
     where p.book_id = $1
       and p.replay_id = $2
       and p.endpoint_id = $3
       and not p.is_done
     for update of p skip locked`,
    [part.book_id, part.replay_id, part.endpoint_id],
  );
  return row;
}

/** Moves the cursors of a part that is locked. */
export async function movePart(sql: Sql, part: OpenPart, progress: PartProgress): Promise<void> {
  await sql(
    `update replay_part
     set after_delivery = $4,
       after_event = $5,
       deliveries_done = $6,
       is_done = $7,
       queued = queued + $8
     where book_id = $1
       and replay_id = $2
       and endpoint_id = $3`,
    [
      part.book_id,
      part.replay_id,
      part.endpoint_id,
      progress.afterDelivery,
      progress.afterEvent,
      progress.deliveriesDone,
      progress.isDone,
      progress.queued,
    ],
  );
}

/** Ends the replay if this was its last part. Locks it first: the last of two parts then sees the end of the other. */
export async function endIfDone(sql: Sql, { book_id, replay_id }: OpenPart, now: Date): Promise<void> {
  await sql("select from replay where book_id = $1 and id = $2 for update", [book_id, replay_id]);
  await sql(
    `update replay r
     set status = 'Done',
       ended_at = $3
     where book_id = $1
       and id = $2
       and status = 'Running'
       and not exists (
         select from replay_part p where p.book_id = r.book_id and p.replay_id = r.id and not p.is_done
       )`,
    [book_id, replay_id, now],
  );
}

export interface MissedDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  /** Stored if the event has no rendering of the endpoint's version. */
  readonly body: string;
}

/** Makes leased deliveries of events that an endpoint never got. Returns those that are new, with the stored bytes. */
export async function insertMissed(
  sql: Sql,
  { book_id: book, endpoint_id: endpointId }: OpenPart,
  apiVersion: string,
  attemptsAllowed: number,
  missed: readonly MissedDelivery[],
  lease: Lease,
  now: Date,
): Promise<{ id: string; event_id: string; body: string }[]> {
  const events = uuidArray(missed.map(({ eventId }) => eventId));
  await sql(
    `insert into rendering (event_id, api_version, body)
     select event_id, $2, body
     from unnest($1::uuid[], $3::text[]) as r (event_id, body)
     order by event_id
     on conflict do nothing`,
    [events, apiVersion, missed.map(({ body }) => body)],
  );
  return sql(
    `with made as (
       insert into delivery (id, book_id, event_id, endpoint_id, event_type, api_version, status, attempt_count,
         attempts_allowed, next_attempt_at, claimable_at, lease_id, created_at)
       select m.id, $4, m.event_id, $5, m.event_type, $6, 'Pending', 0, $7, $8, $9, $10, $8
       from unnest($1::uuid[], $2::uuid[], $3::text[]) as m (id, event_id, event_type)
       order by m.event_id
       on conflict (event_id, endpoint_id) do nothing
       returning id, event_id
     )
     select made.id, made.event_id, r.body
     from made
     join rendering r on r.event_id = made.event_id
       and r.api_version = $6`,
    [
      uuidArray(missed.map(({ id }) => id)),
      events,
      missed.map(({ eventType }) => eventType),
      book,
      endpointId,
      apiVersion,
      attemptsAllowed,
      now,
      lease.endsAt,
      lease.id,
    ],
  );
}
