import { idOf } from "../../../../contracts/ids/ids.ts";
import type { TestSink, TestSinkRequest } from "../../../../contracts/http/webhooks/webhooks.ts";
import { aboveAllNumbers } from "../../../platform/persistence/page.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

const maxRequestsPerSink = 1_000;

/** Enough for a page, which ends at 512 KiB (`pageOfRows`), without reading a hundred large bodies. */
const maxReadBytes = 768 * 1024;
/** The largest body that a sink accepts: in base64 and with its headers it still fits a message between services. */
export const maxBodyBytes = 512 * 1024;

export interface SinkRow {
  readonly id: string;
  readonly book_id: string;
  readonly respond: number[];
  readonly delay_ms: number;
  readonly received: number;
  readonly created_at: Date;
}

/** Ids are stored `uuid`s. */
export async function insertSink(sql: Sql, sink: Omit<SinkRow, "received">): Promise<void> {
  await sql(
    `insert into test_sink (id, book_id, respond, delay_ms, received, created_at)
     values ($1, $2, $3, $4, 0, $5)`,
    [sink.id, sink.book_id, sink.respond, sink.delay_ms, sink.created_at],
  );
}

/** A book's sink, or undefined. */
export async function readSink(sql: Sql, book: string, id: string): Promise<SinkRow | undefined> {
  const [row] = await sql<SinkRow>(
    `select id, book_id, respond, delay_ms, received, created_at
     from test_sink
     where id = $1
       and book_id = $2`,
    [id, book],
  );
  return row;
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
     returning id, book_id, respond, delay_ms, received, created_at`,
    [id],
  );
  return row;
}

export interface NewSinkRequest {
  readonly sinkId: string;
  /** From 1. */
  readonly number: number;
  readonly receivedAt: Date;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The endpoint whose active secret verifies the signature. */
  readonly verifiedBy: string | null;
  readonly respondedStatus: number;
}

/** Stores a request, and deletes those beyond the newest `maxRequestsPerSink`. */
export async function insertRequest(sql: Sql, request: NewSinkRequest): Promise<void> {
  await sql(
    `insert into test_sink_request (sink_id, number, received_at, headers, body, verified_by, responded_status)
     values ($1, $2, $3, $4::jsonb, $5, $6, $7)`,
    [
      request.sinkId,
      request.number,
      request.receivedAt,
      JSON.stringify(request.headers),
      request.body,
      request.verifiedBy,
      request.respondedStatus,
    ],
  );
  await sql("delete from test_sink_request where sink_id = $1 and number <= $2", [
    request.sinkId,
    request.number - maxRequestsPerSink,
  ]);
}

export interface SinkRequestRow {
  readonly number: number;
  readonly received_at: Date;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
  readonly verified_by: string | null;
  readonly responded_status: number;
}

/** A sink's requests, newest first: `limit + 1` of them, or up to the first one that exceeds `maxReadBytes`. */
export function listRequests(
  sql: Sql,
  sinkId: string,
  before: string | null,
  limit: number,
): Promise<SinkRequestRow[]> {
  return sql<SinkRequestRow>(
    `with page as (
       select *, length(body) * 4 / 3 + length(headers::text) as size
       from test_sink_request
       where sink_id = $1
         and number < $2::bigint
       order by number desc
       limit $3
     ),
     summed as (
       select *, sum(size) over (order by number desc)::int as bytes
       from page
     )
     select number, received_at, headers, body, verified_by, responded_status
     from summed
     where bytes - size <= $4
     order by number desc`,
    [sinkId, before ?? aboveAllNumbers, limit + 1, maxReadBytes],
  );
}

export function toRequest(row: SinkRequestRow): TestSinkRequest {
  return {
    receivedAt: row.received_at.toISOString(),
    headers: row.headers,
    bodyBase64: row.body.toString("base64"),
    verifiedByEndpointId: row.verified_by === null ? null : idOf("we", row.verified_by),
    respondedStatus: row.responded_status,
  };
}

export function toSink(row: Omit<SinkRow, "received">, url: string): TestSink {
  return {
    id: idOf("sink", row.id),
    url,
    respond: row.respond,
    delayMs: row.delay_ms,
    createdAt: row.created_at.toISOString(),
  };
}
