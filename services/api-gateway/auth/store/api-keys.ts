import type { Scope } from "../../../../contracts/http/scopes.ts";
import {
  type ApiKeyId,
  bookIdOf,
  idOf,
  type BookId,
  type Mode,
  type TenantId,
  uuidOf,
} from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** A tenant's keys of one mode. Nothing of another book is ever found. */
export interface KeyBook {
  readonly tenant: TenantId;
  readonly mode: Mode;
}

/** What a key says about its caller, as a gateway remembers it for a moment. */
export interface KnownKey {
  readonly id: ApiKeyId;
  readonly tenant: TenantId;
  readonly tenantActive: boolean;
  readonly mode: Mode;
  readonly book: BookId;
  readonly principal: string;
  readonly scopes: ReadonlySet<string>;
  readonly ipAllowlist: readonly string[];
  readonly expiresAt: Date | null;
}

export interface NewApiKey {
  readonly id: ApiKeyId;
  readonly tenant: TenantId;
  readonly mode: Mode;
  readonly hash: Buffer;
  readonly prefix: string;
  readonly last4: string;
  readonly name: string;
  readonly principal: string;
  readonly scopes: readonly Scope[];
  readonly ipAllowlist: readonly string[];
  readonly expiresAt: Date | null;
  /** A principal, or `operator`. */
  readonly createdBy: string;
}

export async function insertApiKey(sql: Sql, key: NewApiKey): Promise<void> {
  await sql(
    `insert into api_key
       (id, tenant_id, mode, hash, prefix, last4, name, principal, scopes, ip_allowlist, expires_at, created_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      uuidOf(key.id),
      uuidOf(key.tenant),
      key.mode,
      key.hash,
      key.prefix,
      key.last4,
      key.name,
      key.principal,
      key.scopes,
      key.ipAllowlist,
      key.expiresAt,
      key.createdBy,
    ],
  );
}

interface KnownKeyRow {
  id: string;
  tenant_id: string;
  tenant_status: "Active" | "Suspended";
  mode: Mode;
  principal: string;
  scopes: string[];
  ip_allowlist: string[];
  expires_at: Date | null;
}

/** The key with this SHA-256, unless it is revoked. One index look-up, whether or not there is such a key. */
export async function findKeyByHash(sql: Sql, hash: Buffer): Promise<KnownKey | undefined> {
  const [row] = await sql<KnownKeyRow>(
    `select k.id, k.tenant_id, t.status as tenant_status, k.mode, k.principal, k.scopes, k.ip_allowlist, k.expires_at
     from api_key k
     join tenant t on t.id = k.tenant_id
     where k.hash = $1
       and k.revoked_at is null`,
    [hash],
  );
  if (row === undefined) return undefined;
  const tenant = idOf("ten", row.tenant_id);
  return {
    id: idOf("key", row.id),
    tenant,
    tenantActive: row.tenant_status === "Active",
    mode: row.mode,
    book: bookIdOf(tenant, row.mode),
    principal: row.principal,
    scopes: new Set(row.scopes),
    ipAllowlist: row.ip_allowlist,
    expiresAt: row.expires_at,
  };
}

/** A key and its book: what a revocation tells, and what a rotation has to know. */
export interface LiveKey {
  readonly id: ApiKeyId;
  readonly name: string;
  readonly principal: string;
  readonly scopes: readonly Scope[];
  readonly ipAllowlist: readonly string[];
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly replacedBy: ApiKeyId | null;
}

/** Locks a key of a tenant's book, so that it is rotated or revoked by one at a time. */
export async function lockApiKey(
  sql: Sql,
  { tenant, mode }: KeyBook,
  id: ApiKeyId,
): Promise<LiveKey | undefined> {
  const [row] = await sql<Omit<LiveKey, "id" | "replacedBy"> & { replacedBy: string | null }>(
    `select name, principal, scopes, ip_allowlist as "ipAllowlist", expires_at as "expiresAt",
       revoked_at as "revokedAt", replaced_by as "replacedBy"
     from api_key
     where tenant_id = $1
       and mode = $2
       and id = $3
     for update`,
    [uuidOf(tenant), mode, uuidOf(id)],
  );
  if (row === undefined) return undefined;
  return { ...row, id, replacedBy: row.replacedBy === null ? null : idOf("key", row.replacedBy) };
}

/** Lets a key end after `overlapHours` at the latest, and says which one takes its place. */
export async function replaceApiKey(
  sql: Sql,
  id: ApiKeyId,
  by: { readonly id: ApiKeyId; readonly overlapHours: number },
): Promise<void> {
  await sql(
    `update api_key
     set replaced_by = $2,
         expires_at = least(expires_at, now() + $3 * interval '1 hour')
     where id = $1`,
    [uuidOf(id), uuidOf(by.id), by.overlapHours],
  );
}

/** Marks a key revoked and names its book; undefined when there is none, or it was revoked before. */
export async function markKeyRevoked(sql: Sql, id: ApiKeyId, by: string): Promise<BookId | undefined> {
  const [row] = await sql<{ tenant_id: string; mode: Mode }>(
    `update api_key
     set revoked_at = now(),
         revoked_by = $2
     where id = $1
       and revoked_at is null
     returning tenant_id, mode`,
    [uuidOf(id), by],
  );
  return row && bookIdOf(idOf("ten", row.tenant_id), row.mode);
}

/** Notes when keys were last used. An instance that is behind another one changes nothing. */
export async function noteKeysUsed(
  sql: Sql,
  uses: readonly { readonly id: ApiKeyId; readonly at: Date }[],
): Promise<void> {
  await sql(
    `update api_key k
     set last_used_at = u.at
     from unnest($1::uuid[], $2::timestamptz[]) as u (id, at)
     where k.id = u.id
       and (k.last_used_at is null or k.last_used_at < u.at)`,
    [uses.map(({ id }) => uuidOf(id)), uses.map(({ at }) => at)],
  );
}

/** What an operator sees of a key: enough to tell it from others, never the key. */
export interface ListedKey {
  readonly id: ApiKeyId;
  readonly shown: string;
  readonly name: string;
  readonly principal: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** A tenant's keys, oldest first, the revoked ones too. */
export async function listKeys(sql: Sql, tenant: TenantId): Promise<ListedKey[]> {
  const rows = await sql<Omit<ListedKey, "id"> & { id: string }>(
    `select id, prefix || '…' || last4 as shown, name, principal, scopes, expires_at as "expiresAt", revoked_at as "revokedAt"
     from api_key
     where tenant_id = $1
     order by created_at`,
    [uuidOf(tenant)],
  );
  return rows.map((row) => ({ ...row, id: idOf("key", row.id) }));
}
