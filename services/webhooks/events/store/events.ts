import type { Sql } from "../../../platform/persistence/sql.ts";

/** Ids are stored `uuid`s. */
export interface EventRow {
  readonly id: string;
  readonly book: string;
  readonly type: string;
  readonly objectId: string;
  readonly sequence: number;
  /** With the sequence, what makes it one change of its object. */
  readonly part: string;
  /** The message's data as JSON. */
  readonly data: string;
}

export interface RenderingRow {
  readonly eventId: string;
  readonly apiVersion: string;
  readonly body: string;
}

/**
 * Inserts events and gives the ids of those that were new. Neither a message that comes again is new, nor a change that
 * is said again under another id. In the order of the changes, so that two instances that hold the same ones wait for
 * one another instead of for ever; the later one then finds that nothing is new.
 */
export async function insertEvents(sql: Sql, events: readonly EventRow[], now: Date): Promise<Set<string>> {
  if (events.length === 0) return new Set();
  const rows = await sql<{ id: string }>(
    `insert into event (id, book_id, type, object_id, sequence, part, data, created_at)
     select id, book_id, type, object_id, sequence, part, data::jsonb, $8
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::int[], $6::text[], $7::text[])
       as e (id, book_id, type, object_id, sequence, part, data)
     order by book_id, object_id, sequence, part, id
     on conflict do nothing
     returning id`,
    [
      events.map((event) => event.id),
      events.map((event) => event.book),
      events.map((event) => event.type),
      events.map((event) => event.objectId),
      events.map((event) => event.sequence),
      events.map((event) => event.part),
      events.map((event) => event.data),
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
