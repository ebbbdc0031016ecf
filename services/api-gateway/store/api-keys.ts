import type { Scope } from "../../../contracts/http/scopes.ts";
import {
  type ApiKeyId,
  bookIdOf,
  idOf,
  type BookId,
  type Mode,
  type TenantId,
  uuidOf,
} from "../../../contracts/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";

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
}

export async function insertApiKey(sql: Sql, key: NewApiKey): Promise<void> {
  await sql(
    `insert into api_key
       (id, tenant_id, mode, hash, prefix, last4, name, principal, scopes, ip_allowlist, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
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

/** The tenant's principal whose name differs in case at most, as it is spelt. */
export async function findPrincipalLike(
  sql: Sql,
  tenant: TenantId,
  principal: string,
): Promise<string | undefined> {
  const [row] = await sql<{ principal: string }>(
    `select principal
     from api_key
     where tenant_id = $1
       and lower(principal) = lower($2)
     limit 1`,
    [uuidOf(tenant), principal],
  );
  return row?.principal;
}

/** Marks a key revoked and names its book; undefined when there is none, or it was revoked before. */
export async function markKeyRevoked(sql: Sql, id: ApiKeyId): Promise<BookId | undefined> {
  const [row] = await sql<{ tenant_id: string; mode: Mode }>(
    `update api_key set revoked_at = now()
     where id = $1
       and revoked_at is null
     returning tenant_id, mode`,
    [uuidOf(id)],
  );
  return row && bookIdOf(idOf("ten", row.tenant_id), row.mode);
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
