import type { WebhookEndpoint, WebhookEndpointStatus } from "../../../../contracts/http/webhooks/webhooks.ts";
import { idOf, type Mode } from "../../../../contracts/ids/ids.ts";
import type { ApiVersion } from "../../../../contracts/http/versions.ts";
import { aboveAllUuids, belowAllUuids } from "../../../platform/persistence/page.ts";
import { pipeline } from "../../../platform/persistence/pipeline.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { type EncryptedSecret, isActiveAt } from "./signing-secrets.ts";

/** What a tenant can change of an endpoint. Null for a limit: the service's own setting applies. */
export interface EndpointSettings {
  readonly url: string;
  readonly eventTypes: readonly string[];
  readonly description: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly status: WebhookEndpointStatus;
  readonly maxAttempts: number | null;
  readonly backoffSeconds: readonly number[] | null;
  readonly ratePerSecond: number | null;
  readonly disableAfterDays: number | null;
}

export interface NewEndpoint extends EndpointSettings {
  readonly id: string;
  readonly book: string;
  readonly mode: Mode;
  readonly apiVersion: string;
  readonly createdAt: Date;
  readonly secret: EncryptedSecret;
}

const columns = `id, url, event_types, description, metadata, api_version, status, max_attempts, backoff_seconds,
       rate_per_second, disable_after_days, created_at`;

/** The parameters `$1` to `$9` of a statement that writes all settings. */
function settingsOf(settings: EndpointSettings): unknown[] {
  return [
    settings.url,
    settings.eventTypes,
    settings.description,
    JSON.stringify(settings.metadata),
    settings.status,
    settings.maxAttempts,
    settings.backoffSeconds,
    settings.ratePerSecond,
    settings.disableAfterDays,
  ];
}

/** Inserts an endpoint with its first secret. */
export async function insertEndpoint(sql: Sql, endpoint: NewEndpoint): Promise<EndpointRow> {
  const [row] = await sql<EndpointRow>(
    `with secret as (
       insert into endpoint_secret (endpoint_id, version, key_id, ciphertext, created_at)
       values ($10, 1, $15, $16, $14)
     )
     insert into endpoint
       (url, event_types, description, metadata, status, max_attempts, backoff_seconds, rate_per_second,
        disable_after_days, id, book_id, mode, api_version, created_at)
     values ($1, $2, $3, $4::jsonb, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
     returning ${columns}`,
    [
      ...settingsOf(endpoint),
      endpoint.id,
      endpoint.book,
      endpoint.mode,
      endpoint.apiVersion,
      endpoint.createdAt,
      endpoint.secret.keyId,
      endpoint.secret.ciphertext,
    ],
  );
  if (row === undefined) throw new Error("insert into endpoint returned no row");
  return row;
}

/** Counts a book's endpoints. Until the transaction ends, no other transaction can create one for the book. */
export async function lockAndCountEndpoints(sql: Sql, book: string): Promise<number> {
  const [, [row]] = await pipeline(
    sql,
    (send) => send("select pg_advisory_xact_lock(hashtextextended('endpoints of ' || $1, 0))", [book]),
    (send) =>
      send<{ count: bigint }>("select count(*) from endpoint where book_id = $1 and deleted_at is null", [
        book,
      ]),
  );
  return Number(row?.count ?? 0);
}

export interface EndpointRow {
  readonly id: string;
  readonly url: string;
  readonly event_types: string[];
  readonly description: string | null;
  readonly metadata: Record<string, string>;
  readonly api_version: ApiVersion;
  readonly status: WebhookEndpointStatus;
  readonly max_attempts: number | null;
  readonly backoff_seconds: number[] | null;
  readonly rate_per_second: number | null;
  readonly disable_after_days: number | null;
  readonly created_at: Date;
}

/** A book's endpoints, newest first, `limit + 1` of them. Ordered by both columns to use endpoint_left_by_book. */
export function listEndpoints(
  sql: Sql,
  book: string,
  before: string | null,
  limit: number,
): Promise<EndpointRow[]> {
  return sql<EndpointRow>(
    `select ${columns}
     from endpoint
     where (book_id, id) >= ($1, '${belowAllUuids}')
       and (book_id, id) < ($1, $2::uuid)
       and deleted_at is null
     order by book_id desc, id desc
     limit $3`,
    [book, before ?? aboveAllUuids, limit + 1],
  );
}

/** A book's endpoint, or undefined. */
export async function readEndpoint(sql: Sql, book: string, id: string): Promise<EndpointRow | undefined> {
  const [row] = await sql<EndpointRow>(
    `select ${columns}
     from endpoint
     where book_id = $1
       and id = $2
       and deleted_at is null`,
    [book, id],
  );
  return row;
}

/** Locks a book's endpoint until the transaction ends; undefined if the book has none with this id. */
export async function lockEndpoint(sql: Sql, book: string, id: string): Promise<EndpointRow | undefined> {
  const [row] = await sql<EndpointRow>(
    `select ${columns}
     from endpoint
     where book_id = $1
       and id = $2
       and deleted_at is null
     for update`,
    [book, id],
  );
  return row;
}

/**
 * Replaces the settings of an endpoint that the caller has locked. The days until it is disabled count anew when it is
 * enabled or moves to another URL.
 */
export async function updateSettings(sql: Sql, id: string, settings: EndpointSettings): Promise<EndpointRow> {
  const [row] = await sql<EndpointRow>(
    `update endpoint
     set url = $1,
       event_types = $2,
       description = $3,
       metadata = $4::jsonb,
       status = $5,
       max_attempts = $6,
       backoff_seconds = $7,
       rate_per_second = $8,
       disable_after_days = $9,
       failing_since = case when status = $5 and url = $1 and $9::int is not null then failing_since end
     where id = $10
     returning ${columns}`,
    [...settingsOf(settings), id],
  );
  if (row === undefined) throw new Error("the endpoint is gone, although it was locked");
  return row;
}

/** Deletes a book's endpoint and retires its secrets. Returns false if the book has none with this id. */
export async function markDeleted(sql: Sql, book: string, id: string, now: Date): Promise<boolean> {
  const rows = await sql(
    `with deleted as (
       update endpoint
       set status = 'Disabled',
         deleted_at = $3
       where book_id = $1
         and id = $2
         and deleted_at is null
       returning id
     ),
     retired as (
       update endpoint_secret s
       set retires_at = least(s.retires_at, $3)
       from deleted
       where s.endpoint_id = deleted.id
     )
     select id
     from deleted`,
    [book, id, now],
  );
  return rows.length > 0;
}

export function toEndpoint(row: EndpointRow): WebhookEndpoint {
  return {
    id: idOf("we", row.id),
    url: row.url,
    eventTypes: row.event_types,
    description: row.description,
    metadata: row.metadata,
    apiVersion: row.api_version,
    status: row.status,
    maxAttempts: row.max_attempts,
    backoffSeconds: row.backoff_seconds,
    ratePerSecond: row.rate_per_second,
    disableAfterDays: row.disable_after_days,
    createdAt: row.created_at.toISOString(),
  };
}

export interface EnabledEndpointRow {
  readonly id: string;
  readonly book_id: string;
  readonly url: string;
  readonly event_types: string[];
  readonly api_version: ApiVersion;
  readonly max_attempts: number | null;
  readonly backoff_seconds: number[] | null;
  readonly rate_per_second: number | null;
  readonly disable_after_days: number | null;
  readonly secrets: EncryptedSecret[];
}

/**
 * Enabled endpoints with their active secrets, newest secret first: of these books, or with these ids. Read for every
 * batch and never cached, so that a change applies to the next event.
 */
export function readEnabledEndpoints(
  sql: Sql,
  which: { books: readonly string[] } | { endpoints: readonly string[] },
  now: Date,
): Promise<EnabledEndpointRow[]> {
  const [column, ids] = "books" in which ? ["book_id", which.books] : ["id", which.endpoints];
  return sql<EnabledEndpointRow>(
    `select e.id, e.book_id, e.url, e.event_types, e.api_version, e.max_attempts, e.backoff_seconds, e.rate_per_second,
       e.disable_after_days, s.secrets
     from endpoint e
     cross join lateral (
       select jsonb_agg(jsonb_build_object('keyId', s.key_id, 'ciphertext', s.ciphertext) order by s.version desc)
         as secrets
       from endpoint_secret s
       where s.endpoint_id = e.id
         and ${isActiveAt("$2")}
     ) s
     where e.${column} = any ($1::uuid[])
       and e.status = 'Enabled'
       and e.deleted_at is null
       and s.secrets is not null`,
    [ids, now],
  );
}
