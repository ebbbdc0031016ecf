import type { ApiVersion } from "../../../../contracts/http/versions.ts";
import { idOf, type Mode, type TenantId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** How often a tenant called a version on a day, and when it last did. */
export interface VersionUse {
  readonly tenant: TenantId;
  readonly mode: Mode;
  readonly version: ApiVersion;
  /** UTC, `YYYY-MM-DD`. */
  readonly day: string;
  readonly requests: number;
  readonly lastUsedAt: Date;
}

/** Adds to the stored counts of all instances. Rows are locked in key order, so that two instances can't deadlock. */
export async function addVersionUse(sql: Sql, uses: readonly VersionUse[]): Promise<void> {
  await sql(
    `insert into version_use as known (tenant_id, mode, version, day, requests, last_used_at)
     select tenant_id, mode, version, day, requests, last_used_at
     from unnest($1::uuid[], $2::text[], $3::text[], $4::date[], $5::bigint[], $6::timestamptz[])
       as counted (tenant_id, mode, version, day, requests, last_used_at)
     order by tenant_id, mode, version, day
     on conflict on constraint version_use_pkey do update
     set requests = known.requests + excluded.requests,
         last_used_at = greatest(known.last_used_at, excluded.last_used_at)`,
    [
      uses.map(({ tenant }) => uuidOf(tenant)),
      uses.map(({ mode }) => mode),
      uses.map(({ version }) => version),
      uses.map(({ day }) => day),
      uses.map(({ requests }) => requests),
      uses.map(({ lastUsedAt }) => lastUsedAt),
    ],
  );
}

export interface CallerOfVersion {
  readonly tenant: TenantId;
  readonly name: string;
  readonly mode: Mode;
  readonly version: string;
  readonly requests: number;
  readonly lastUsedAt: Date;
}

/** Who called this version (or any, if null) since a day (UTC), the latest caller first. */
export async function listCallersOfVersion(
  sql: Sql,
  { version, since }: { readonly version: string | null; readonly since: string },
): Promise<CallerOfVersion[]> {
  const rows = await sql<{
    id: string;
    name: string;
    mode: Mode;
    version: string;
    requests: string;
    last_used_at: Date;
  }>(
    `select t.id, t.name, u.mode, u.version, sum(u.requests)::text as requests, max(u.last_used_at) as last_used_at
     from version_use u
     join tenant t on t.id = u.tenant_id
     where u.day >= $2::date
       and ($1::text is null or u.version = $1)
     group by t.id, t.name, u.mode, u.version
     order by max(u.last_used_at) desc`,
    [version, since],
  );
  return rows.map((row) => ({
    tenant: idOf("ten", row.id),
    name: row.name,
    mode: row.mode,
    version: row.version,
    requests: Number(row.requests),
    lastUsedAt: row.last_used_at,
  }));
}
