import { idOf } from "../../../../contracts/ids/ids.ts";
import type { TestSink } from "../../../../contracts/http/webhooks/test-sinks.ts";
import { aboveAllUuids, belowAllUuids } from "../../../platform/persistence/page.ts";
import { pipeline } from "../../../platform/persistence/pipeline.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { answerAt, type Script, scriptOf, statusOf } from "../domain/script.ts";

export interface SinkRow {
  readonly id: string;
  readonly book_id: string;
  /** Statuses alone: the whole script of a sink that has no `script`. */
  readonly respond: number[];
  readonly script: Script | null;
  readonly script_began: number;
  readonly delay_ms: number;
  readonly received: number;
  readonly created_at: Date;
}

const columns = "id, book_id, respond, script, script_began, delay_ms, received, created_at";

export interface NewSink {
  readonly id: string;
  readonly book: string;
  readonly script: Script;
  readonly delayMs: number;
  readonly createdAt: Date;
}

/** Ids are stored `uuid`s. */
export async function insertSink(sql: Sql, sink: NewSink): Promise<SinkRow> {
  const [row] = await sql<SinkRow>(
    `insert into test_sink (id, book_id, respond, script, delay_ms, received, created_at)
     values ($1, $2, $3, $4::jsonb, $5, 0, $6)
     returning ${columns}`,
    [
      sink.id,
      sink.book,
      sink.script.map(statusOf),
      JSON.stringify(sink.script),
      sink.delayMs,
      sink.createdAt,
    ],
  );
  if (row === undefined) throw new Error("insert into test_sink returned no row");
  return row;
}

/** Counts a book's sinks. Until the transaction ends, no other transaction can create one for the book. */
export async function lockAndCountSinks(sql: Sql, book: string): Promise<number> {
  const [, [row]] = await pipeline(
    sql,
    (send) => send("select pg_advisory_xact_lock(hashtextextended('sinks of ' || $1, 0))", [book]),
    (send) => send<{ count: bigint }>("select count(*) from test_sink where book_id = $1", [book]),
  );
  return Number(row?.count ?? 0);
}

/** A book's sinks, newest first, `limit + 1` of them. Ordered by both columns to use test_sink_by_book. */
export function listSinks(sql: Sql, book: string, before: string | null, limit: number): Promise<SinkRow[]> {
  return sql<SinkRow>(
    `select ${columns}
     from test_sink
     where (book_id, id) >= ($1, '${belowAllUuids}')
       and (book_id, id) < ($1, $2::uuid)
     order by book_id desc, id desc
     limit $3`,
    [book, before ?? aboveAllUuids, limit + 1],
  );
}

/** A book's sink, or undefined. */
export async function readSink(sql: Sql, book: string, id: string): Promise<SinkRow | undefined> {
  const [row] = await sql<SinkRow>(
    `select ${columns}
     from test_sink
     where id = $1
       and book_id = $2`,
    [id, book],
  );
  return row;
}

/** Of these sinks, how many requests each has received; a deleted sink is not among them. */
export async function readReceived(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ id: string; received: number }>(
    "select id, received from test_sink where id = any ($1::uuid[])",
    [ids],
  );
  return new Map(rows.map(({ id, received }) => [id, received]));
}

/** Changes a book's sink. A new script starts with its first answer. Returns undefined if the book has no such sink. */
export async function updateSink(
  sql: Sql,
  book: string,
  id: string,
  { script, delayMs }: { readonly script: Script | undefined; readonly delayMs: number | undefined },
): Promise<SinkRow | undefined> {
  const [row] = await sql<SinkRow>(
    `update test_sink
     set respond = coalesce($3::int[], respond),
       script = coalesce($4::jsonb, script),
       script_began = case when $4::jsonb is null then script_began else received end,
       delay_ms = coalesce($5::int, delay_ms)
     where id = $1
       and book_id = $2
     returning ${columns}`,
    [
      id,
      book,
      script?.map(statusOf) ?? null,
      script === undefined ? null : JSON.stringify(script),
      delayMs ?? null,
    ],
  );
  return row;
}

/**
 * Deletes what a book's sink has received. Returns false if the book has no such sink. The lock is a statement of its
 * own, so that the second one also finds the request that was being recorded while this one waited.
 */
export async function deleteRequests(sql: Sql, book: string, id: string): Promise<boolean> {
  const sinks = await sql(
    `select id
     from test_sink
     where id = $1
       and book_id = $2
     for update`,
    [id, book],
  );
  if (sinks.length === 0) return false;
  await sql("delete from test_sink_request where sink_id = $1", [id]);
  return true;
}

/** Deletes a book's sink whose requests were deleted in the same transaction. */
export async function deleteSink(sql: Sql, book: string, id: string): Promise<void> {
  await sql("delete from test_sink where id = $1 and book_id = $2", [id, book]);
}

/**
 * Counts one request and returns the updated sink, or undefined if it does not exist. The row lock numbers requests
 * without gaps.
 */
export async function countRequest(sql: Sql, id: string): Promise<SinkRow | undefined> {
  const [row] = await sql<SinkRow>(
    `update test_sink
     set received = received + 1
     where id = $1
     returning ${columns}`,
    [id],
  );
  return row;
}

export function scriptOfRow({ script, respond }: SinkRow): Script {
  return script ?? scriptOf(respond);
}

/** The answer to the request that was counted last. Its delay is the sink's, unless it has one of its own. */
export function currentAnswer(sink: SinkRow) {
  const answer = answerAt(scriptOfRow(sink), sink.received - sink.script_began);
  return { ...answer, delayMs: answer.delayMs ?? sink.delay_ms };
}

export function toSink(row: SinkRow, baseUrl: string): TestSink {
  const id = idOf("sink", row.id);
  const script = scriptOfRow(row);
  return {
    id,
    url: `${baseUrl}/sinks/${id}`,
    respond: script.map(statusOf),
    script: [...script],
    delayMs: row.delay_ms,
    received: row.received,
    createdAt: row.created_at.toISOString(),
  };
}
