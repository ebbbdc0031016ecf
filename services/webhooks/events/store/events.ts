import type { Sql } from "../../../platform/persistence/sql.ts";

/** Ids are stored `uuid`s. */
export interface EventRow {
  readonly uuid: string;
  readonly book: string;
  readonly type: string;
  readonly objectId: string;
  readonly sequence: number;
  /** With the sequence, identifies one change of the object. */
  readonly changeKey: string;
  /** The message's data as JSON. */
  readonly payload: string;
}

export interface RenderingRow {
  readonly eventId: string;
  readonly apiVersion: string;
  readonly body: string;
}

/**
 * Inserts events and returns the ids of the new ones. An event is not new if its message id or its change (book,
 * object, sequence, change key) is stored already.
 * Rows are inserted in the order of that key, so that two instances with the same changes can't deadlock.
 */
export async function insertEvents(sql: Sql, events: readonly EventRow[], now: Date): Promise<Set<string>> {
  if (events.length === 0) return new Set();
  const rows = await sql<{ id: string }>(
    `insert into event (id, book_id, type, object_id, sequence, change_key, payload, created_at)
     select id, book_id, type, object_id, sequence, change_key, payload::jsonb, $8
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::int[], $6::text[], $7::text[])
       as e (id, book_id, type, object_id, sequence, change_key, payload)
     order by book_id, object_id, sequence, change_key, id
     on conflict do nothing
     returning id`,
    [
      events.map((event) => event.uuid),
      events.map((event) => event.book),
      events.map((event) => event.type),
      events.map((event) => event.objectId),
      events.map((event) => event.sequence),
      events.map((event) => event.changeKey),
      events.map((event) => event.payload),
      now,
    ],
  );
  return new Set(rows.map(({ id }) => id));
}

export async function insertRenderings(sql: Sql, renderings: readonly RenderingRow[]): Promise<void> {
  if (renderings.length === 0) return;
  await sql(
    `insert into rendering (event_id, api_version, body)
     select *
     from unnest($1::uuid[], $2::text[], $3::text[])`,
    [
      renderings.map((rendering) => rendering.eventId),
      renderings.map((rendering) => rendering.apiVersion),
      renderings.map((rendering) => rendering.body),
    ],
  );
}
