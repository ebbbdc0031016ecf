import type { z } from "zod";
import type { eventQuery } from "../../../../contracts/http/webhooks/stored-events.ts";
import type { WebhookEventType } from "../../../../contracts/http/webhooks/webhooks.ts";
import { lowestUuidAt } from "../../../../contracts/ids/ids.ts";
import { aboveAllUuids, belowAllUuids } from "../../../platform/persistence/page.ts";
import { walkEach } from "../../../platform/persistence/params.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { RestoredEvent } from "../domain/restored-event.ts";

export interface StoredEventRow {
  readonly id: string;
  readonly type: WebhookEventType;
  readonly object_id: string;
  readonly sequence: number;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly created_at: Date;
}

export function restoredEvent(row: StoredEventRow): RestoredEvent {
  const { type, object_id: objectId, sequence, payload, created_at: createdAt } = row;
  return { type, objectId, sequence, payload, createdAt };
}

type EventQuery = z.output<typeof eventQuery>;

const columns = "e.id, e.type, e.object_id, e.sequence, e.payload, e.created_at";

/** One event of this book, or undefined. */
export async function readEvent(sql: Sql, book: string, id: string): Promise<StoredEventRow | undefined> {
  const [row] = await sql<StoredEventRow>(
    `select ${columns}
     from event e
     where book_id = $1
       and id = $2`,
    [book, id],
  );
  return row;
}

/**
 * A book's events, newest first, `limit + 1` of them. Times are those of the ids. Every filter reads by an index
 * (query-events.plans.db.spec.ts).
 */
export function listEvents(
  sql: Sql,
  book: string,
  query: EventQuery,
  before: string | null,
): Promise<StoredEventRow[]> {
  const from = query["createdAt[gte]"];
  const until = query["createdAt[lt]"];
  const lowest = from === undefined ? belowAllUuids : lowestUuidAt(new Date(from));
  const uppers = [before ?? aboveAllUuids, ...(until === undefined ? [] : [lowestUuidAt(new Date(until))])];
  const page = [book, lowest, uppers.sort()[0], query.limit + 1];
  if (query.objectId !== undefined) return listOfObject(sql, page, query);
  if (query.type !== undefined) return listByType(sql, page, query.type);
  return sql<StoredEventRow>(
    `select ${columns}
     from event e
     where (book_id, id) >= ($1, $2::uuid)
       and (book_id, id) < ($1, $3::uuid)
     order by book_id desc, id desc
     limit $4`,
    page,
  );
}

/** Reads all events of the object, which are few, by the key of a change. */
function listOfObject(
  sql: Sql,
  page: readonly unknown[],
  { objectId, afterSequence, type }: EventQuery,
): Promise<StoredEventRow[]> {
  return sql<StoredEventRow>(
    `with of_object as materialized (
       select *
       from event
       where book_id = $1
         and object_id = $5
         and sequence > $6
     )
     select ${columns}
     from of_object e
     where id >= $2
       and id < $3
       and ($7::text[] is null or type = any ($7))
     order by id desc
     limit $4`,
    [...page, objectId, afterSequence ?? -1, type ?? null],
  );
}

/** Reads one range of the index for each type, and merges the ranges. */
function listByType(sql: Sql, page: readonly unknown[], types: readonly string[]): Promise<StoredEventRow[]> {
  const walk = `
       select d.id as found_id
       from event d
       where (d.book_id, d.type, d.id) >= ($1, w.type, $2::uuid)
         and (d.book_id, d.type, d.id) < ($1, w.type, $3::uuid)
       order by d.book_id desc, d.type desc, d.id desc
       limit $4`;
  return sql<StoredEventRow>(
    `select ${columns}
     from (
       select f.found_id
       from ${walkEach({ type: "$5::text[]" }, walk, "f")}
       order by found_id desc
       limit $4
     ) f
     cross join lateral (select * from event x where x.book_id = $1 and x.id = f.found_id offset 0) e
     order by e.id desc
     limit $4`,
    [...page, types],
  );
}
