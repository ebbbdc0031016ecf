import type { Scope } from "../../../../contracts/http/scopes.ts";
import { type ApiKeyId, idOf, type Mode, type TenantId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** A book, as the rows of its keys name it: every query of a tenant's is limited to one. */
export interface TenantMode {
  readonly tenant: TenantId;
  readonly mode: Mode;
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
  /** The key that makes it; null for the operator. */
  readonly createdByKey: ApiKeyId | null;
}

export async function insertApiKey(sql: Sql, key: NewApiKey): Promise<void> {
  await sql(
    `insert into api_key
       (id, tenant_id, mode, hash, prefix, last4, name, principal, scopes, ip_allowlist, expires_at, created_by,
        created_by_key)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
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
      key.createdByKey === null ? null : uuidOf(key.createdByKey),
    ],
  );
}

/** A key in any state, as far as a rotation or a revocation needs it. */
export interface StoredKey {
  readonly id: ApiKeyId;
  readonly name: string;
  readonly principal: string;
  readonly scopes: readonly Scope[];
  readonly ipAllowlist: readonly string[];
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly replacedBy: ApiKeyId | null;
  readonly createdBy: string;
  readonly approvedBy: string | null;
}

/** Locks a key of a tenant's book, so that one transaction at a time rotates or revokes it. */
export async function lockApiKey(
  sql: Sql,
  { tenant, mode }: TenantMode,
  id: ApiKeyId,
): Promise<StoredKey | undefined> {
  const [row] = await sql<Omit<StoredKey, "id" | "replacedBy"> & { replacedBy: string | null }>(
    `select name, principal, scopes, ip_allowlist as "ipAllowlist", expires_at as "expiresAt",
       revoked_at as "revokedAt", replaced_by as "replacedBy", created_by as "createdBy", approved_by as "approvedBy"
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

/** What of a calling key limits the keys that it makes and approves. */
type CallingKeyState = Pick<StoredKey, "expiresAt" | "ipAllowlist" | "revokedAt">;

/** The calling key as it is now: what a gateway caches of it may be a second old. */
export async function readCallingKey(sql: Sql, id: ApiKeyId): Promise<CallingKeyState | undefined> {
  const [row] = await sql<CallingKeyState>(
    `select expires_at as "expiresAt", ip_allowlist as "ipAllowlist", revoked_at as "revokedAt"
     from api_key
     where id = $1`,
    [uuidOf(id)],
  );
  return row;
}

/** Lets a key expire after `overlapHours` at the latest, and stores its replacement. */
export async function setKeyReplaced(
  sql: Sql,
  id: ApiKeyId,
  by: { readonly id: ApiKeyId; readonly overlapHours: number },
): Promise<ChangedKey | undefined> {
  const [row] = await sql<ChangedKeyRow>(
    `update api_key
     set replaced_by = $2,
         expires_at = least(expires_at, now() + $3 * interval '1 hour')
     where id = $1
     returning tenant_id, mode, principal, scopes`,
    [uuidOf(id), uuidOf(by.id), by.overlapHours],
  );
  return row && toChangedKey(row);
}

/** The part of a changed key that events need. */
interface ChangedKey extends TenantMode {
  readonly principal: string;
  readonly scopes: readonly Scope[];
}

interface ChangedKeyRow {
  tenant_id: string;
  mode: Mode;
  principal: string;
  scopes: Scope[];
}

function toChangedKey({ tenant_id: tenant, ...key }: ChangedKeyRow): ChangedKey {
  return { ...key, tenant: idOf("ten", tenant) };
}

/** Marks keys revoked, and returns those that were not. Locks them in id order, as `updateKeysLastUsed` does. */
export async function setKeysRevoked(
  sql: Sql,
  ids: readonly ApiKeyId[],
  by: string,
): Promise<(ChangedKey & Pick<StoredKey, "id">)[]> {
  const rows = await sql<ChangedKeyRow & { id: string }>(
    `update api_key k
     set revoked_at = now(),
         revoked_by = $2
     from (
       select id
       from api_key
       where id = any ($1::uuid[])
         and revoked_at is null
       order by id
       for no key update
     ) locked
     where k.id = locked.id
     returning k.id, k.tenant_id, k.mode, k.principal, k.scopes`,
    [ids.map(uuidOf), by],
  );
  return rows.map(({ id, ...row }) => ({ ...toChangedKey(row), id: idOf("key", id) }));
}

/** What an operator sees of a key; never the key itself. */
export interface OperatorKeyRow {
  readonly id: ApiKeyId;
  readonly shown: string;
  readonly name: string;
  readonly principal: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** A tenant's keys, oldest first, including revoked ones. */
export async function listKeysForOperator(sql: Sql, tenant: TenantId): Promise<OperatorKeyRow[]> {
  const rows = await sql<Omit<OperatorKeyRow, "id"> & { id: string }>(
    `select id, prefix || '…' || last4 as shown, name, principal, scopes, expires_at as "expiresAt", revoked_at as "revokedAt"
     from api_key
     where tenant_id = $1
     order by created_at`,
    [uuidOf(tenant)],
  );
  return rows.map((row) => ({ ...row, id: idOf("key", row.id) }));
}
