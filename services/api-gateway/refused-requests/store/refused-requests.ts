import { type ErrorCode, errorCatalogue } from "../../../../contracts/errors.ts";
import {
  maxCounted,
  type RefusalSummary,
  type RefusalSummaryQuery,
  type RefusedRequest,
  type RefusedRequestQuery,
} from "../../../../contracts/http/refused-requests.ts";
import { idOf, lowestUuidAt, type Mode, type TenantId, uuidOf } from "../../../../contracts/ids/ids.ts";
import { aboveAllUuids } from "../../../platform/persistence/page.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

const keptMs = 7 * 86_400_000;
const rowsPerDelete = 10_000;

interface Book {
  readonly tenant: TenantId;
  readonly mode: Mode;
}

/** A refused request of a book. */
export type RefusedOf = RefusedRequest & Book;

/** Stores them with one insert. Idempotent: a request is stored once. */
export async function insertRefusedRequests(sql: Sql, refused: readonly RefusedOf[]): Promise<void> {
  await sql(
    `insert into refused_request
       (id, tenant_id, mode, method, path, status, code, principal, api_key_id, duration_ms, created_at)
     select *
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::smallint[], $7::text[], $8::text[],
       $9::uuid[], $10::integer[], $11::timestamptz[])
     on conflict on constraint refused_request_pkey do nothing`,
    [
      refused.map(({ id }) => uuidOf(id)),
      refused.map(({ tenant }) => uuidOf(tenant)),
      refused.map(({ mode }) => mode),
      refused.map(({ method }) => method),
      refused.map(({ path }) => path),
      refused.map(({ status }) => status),
      refused.map(({ code }) => code),
      refused.map(({ principal }) => principal),
      refused.map(({ apiKeyId }) => (apiKeyId === null ? null : uuidOf(apiKeyId))),
      refused.map(({ durationMs }) => durationMs),
      refused.map(({ createdAt }) => createdAt),
    ],
  );
}

/** Deletes up to 10,000 requests that are older than seven days. Returns how many it deleted. */
export async function deleteOldRequests(sql: Sql): Promise<number> {
  const deleted = await sql(
    `delete from refused_request
     where id in (select id from refused_request where id < $1 order by id limit ${String(rowsPerDelete)})
     returning 1`,
    [oldestKept()],
  );
  return deleted.length;
}

/**
 * The book's refused requests of the last seven days, newest first: `limit + 1` rows. Rows are compared by the whole
 * key of the filter's index, so that no other index fits. A code has one status: a filter by both needs no third.
 */
export async function listRefusedRequests(
  sql: Sql,
  { tenant, mode }: Book,
  query: RefusedRequestQuery,
  after: string | null,
): Promise<RefusedRequest[]> {
  const { code, status } = query;
  if (code !== undefined && status !== undefined && status !== classOf(code)) return [];
  const { from, before } = rangeOf(query, after);
  const run = code !== undefined ? "code" : status !== undefined ? "status / 100" : null;
  const value = code ?? (status === undefined ? undefined : Number(status.slice(0, 1)));
  const columns = ["tenant_id", "mode", ...(run === null ? [] : [`(${run})`]), "id"];
  const start = ["$1::uuid", "$2::text", ...(run === null ? [] : ["$5"])].join(", ");
  const rows = await sql<{
    id: string;
    created_at: Date;
    method: string;
    path: string;
    status: number;
    code: ErrorCode;
    principal: string;
    api_key_id: string | null;
    duration_ms: number;
  }>(
    `select id, created_at, method, path, status, code, principal, api_key_id, duration_ms
     from refused_request
     where (${columns.join(", ")}) >= (${start}, $3::uuid)
       and (${columns.join(", ")}) < (${start}, $4::uuid)
     order by ${columns.map((column) => `${column} desc`).join(", ")}
     limit ${String(query.limit + 1)}`,
    [uuidOf(tenant), mode, from, before, ...(value === undefined ? [] : [value])],
  );
  return rows.map((row) => ({
    id: idOf("req", row.id),
    createdAt: row.created_at.toISOString(),
    method: row.method,
    path: row.path,
    status: row.status,
    code: row.code,
    principal: row.principal,
    apiKeyId: row.api_key_id === null ? null : idOf("key", row.api_key_id),
    durationMs: row.duration_ms,
  }));
}

/** The same by code, the most frequent first. Of each code it reads at most the newest 1,000. */
export async function summarizeRefusals(
  sql: Sql,
  { tenant, mode }: Book,
  query: RefusalSummaryQuery,
): Promise<RefusalSummary> {
  const { from, before } = rangeOf(query, null);
  const rows = await sql<{ code: ErrorCode; requests: number; last_at: Date }>(
    `select known.code, counted.requests, counted.last_at
     from unnest($5::text[]) known (code)
     cross join lateral (
       select count(*)::int as requests, max(newest.created_at) as last_at
       from (
         select created_at
         from refused_request
         where (tenant_id, mode, code, id) >= ($1::uuid, $2::text, known.code, $3::uuid)
           and (tenant_id, mode, code, id) < ($1::uuid, $2::text, known.code, $4::uuid)
         order by tenant_id desc, mode desc, code desc, id desc
         limit ${String(maxCounted)}
       ) newest
     ) counted
     where counted.requests > 0
     order by counted.requests desc, known.code`,
    [uuidOf(tenant), mode, from, before, Object.keys(errorCatalogue)],
  );
  return {
    data: rows.map(({ code, requests, last_at: lastAt }) => ({
      code,
      status: errorCatalogue[code].status,
      requests,
      lastAt: lastAt.toISOString(),
    })),
  };
}

const oldestKept = () => lowestUuidAt(new Date(Date.now() - keptMs));
const classOf = (code: ErrorCode) => `${String(Math.floor(errorCatalogue[code].status / 100))}xx`;

/** The ids to read: from the first one to before the second. */
function rangeOf(query: RefusalSummaryQuery, after: string | null): { from: string; before: string } {
  const from = query["createdAt[gte]"];
  const until = query["createdAt[lt]"];
  const lowers = [oldestKept(), ...(from === undefined ? [] : [lowestUuidAt(new Date(from))])];
  const uppers = [after ?? aboveAllUuids, ...(until === undefined ? [] : [lowestUuidAt(new Date(until))])];
  return { from: lowers.sort().at(-1) ?? "", before: uppers.sort()[0] ?? "" };
}
