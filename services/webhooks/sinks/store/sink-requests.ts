import { idOf } from "../../../../contracts/ids/ids.ts";
import type { TestSinkAnswer, TestSinkRequest } from "../../../../contracts/http/webhooks/test-sinks.ts";
import { aboveAllNumbers } from "../../../platform/persistence/page.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { KnownSecret } from "../../endpoints/domain/verification.ts";
import { textOf } from "../domain/body-text.ts";
import { statusOf } from "../domain/script.ts";

const maxRequestsPerSink = 1_000;
/** What a sink stores of bodies. Only those above `largeBodyBytes` are summed up: a thousand smaller ones fit. */
const maxStoredBytes = 32 * 1024 * 1024;
const largeBodyBytes = 32 * 1024;

/** Enough for a page, which ends at 512 KiB (`pageOfRows`), without reading a hundred large bodies. */
const maxReadBytes = 768 * 1024;
/** The largest body that a sink accepts: in base64 and with its headers it still fits a message between services. */
export const maxBodyBytes = 512 * 1024;

export interface NewSinkRequest {
  readonly sinkId: string;
  /** From 1. */
  readonly number: number;
  readonly receivedAt: Date;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The active secret that verifies the signature. */
  readonly verifiedBy: KnownSecret | undefined;
  readonly answer: TestSinkAnswer;
}

/** Stores a request, and deletes the oldest ones: beyond a thousand of the sink, or beyond 32 MiB of bodies. */
export async function insertRequest(sql: Sql, request: NewSinkRequest): Promise<void> {
  const { sinkId, number, body, verifiedBy, answer } = request;
  await sql(
    `insert into test_sink_request
       (sink_id, number, received_at, headers, body, verified_by, verified_version, verified_age, responded_status, answer)
     values ($1, $2, $3, $4::jsonb, $5, $6, $7, $8, $9, $10::jsonb)`,
    [
      sinkId,
      number,
      request.receivedAt,
      JSON.stringify(request.headers),
      body,
      verifiedBy?.endpointId ?? null,
      verifiedBy?.version ?? null,
      verifiedBy?.age ?? null,
      statusOf(answer),
      JSON.stringify(answer),
    ],
  );
  await sql("delete from test_sink_request where sink_id = $1 and number <= $2", [
    sinkId,
    number - maxRequestsPerSink,
  ]);
  if (body.length > largeBodyBytes) await deleteBeyond(sql, sinkId, maxStoredBytes);
}

/** The newest requests whose bodies fit stay; the newest one always does. */
async function deleteBeyond(sql: Sql, sinkId: string, maxBytes: number): Promise<void> {
  await sql(
    `delete from test_sink_request
     where sink_id = $1
       and number <= (
         select max(number)
         from (
           select number, sum(octet_length(body)) over (order by number desc) as bytes
           from test_sink_request
           where sink_id = $1
         ) summed
         where bytes > $2
       )`,
    [sinkId, maxBytes],
  );
}

export interface SinkRequestRow {
  readonly number: number;
  readonly received_at: Date;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
  readonly verified_by: string | null;
  readonly verified_version: number | null;
  readonly verified_age: "Newest" | "Previous" | null;
  readonly responded_status: number;
  readonly answer: TestSinkAnswer | null;
}

/** `limit + 1` requests of a sink, in the order, or up to the first one that exceeds `maxReadBytes`. */
const pageSql = (range: string, order: "asc" | "desc") =>
  `with page as (
     select *, octet_length(body) * 4 / 3 + length(headers::text) as size
     from test_sink_request
     where sink_id = $1
       and number ${range}
     order by number ${order}
     limit $3
   ),
   summed as (
     select *, sum(size) over (order by number ${order})::int as bytes
     from page
   )
   select number, received_at, headers, body, verified_by, verified_version, verified_age, responded_status, answer
   from summed
   where bytes - size <= $4
   order by number ${order}`;

/** A sink's requests, newest first. */
export function listRequests(
  sql: Sql,
  sinkId: string,
  before: string | null,
  limit: number,
): Promise<SinkRequestRow[]> {
  const params = [sinkId, before ?? aboveAllNumbers, limit + 1, maxReadBytes];
  return sql<SinkRequestRow>(pageSql("< $2::bigint", "desc"), params);
}

/** A sink's requests after a number, oldest first. */
export function listRequestsAfter(
  sql: Sql,
  sinkId: string,
  after: string,
  limit: number,
): Promise<SinkRequestRow[]> {
  return sql<SinkRequestRow>(pageSql("> $2::bigint", "asc"), [sinkId, after, limit + 1, maxReadBytes]);
}

export function toRequest(row: SinkRequestRow): TestSinkRequest {
  const { verified_version: version, verified_age: age } = row;
  return {
    number: row.number,
    receivedAt: row.received_at.toISOString(),
    headers: row.headers,
    body: textOf(row.body),
    bodyBase64: row.body.toString("base64"),
    verifiedByEndpointId: row.verified_by === null ? null : idOf("we", row.verified_by),
    verifiedBySecret: version === null || age === null ? null : { version, age },
    respondedStatus: row.responded_status,
    answer: row.answer,
  };
}
