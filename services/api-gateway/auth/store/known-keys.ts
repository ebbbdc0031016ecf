import {
  type ApiKeyId,
  bookIdOf,
  idOf,
  type Mode,
  type ProposalId,
  uuidOf,
} from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { KnownCaller } from "../domain/caller.ts";

/** What a gateway caches of a key. */
export interface KnownKey extends KnownCaller {
  readonly apiKeyId: ApiKeyId;
  readonly session: null;
}

/** A key that can't be used until another principal approves its proposal. */
export interface WaitingKey {
  readonly proposal: ProposalId;
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
  proposal_id: string | null;
}

/**
 * The key with this SHA-256, unless it is revoked, or its proposal while it waits. Two index look-ups, whether or not
 * the key exists.
 */
export async function findKeyByHash(sql: Sql, hash: Buffer): Promise<KnownKey | WaitingKey | undefined> {
  const [row] = await sql<KnownKeyRow>(
    `select k.id, k.tenant_id, t.status as tenant_status, k.mode, k.principal, k.scopes, k.ip_allowlist, k.expires_at,
       null::uuid as proposal_id
     from api_key k
     join tenant t on t.id = k.tenant_id
     where k.hash = $1
       and k.revoked_at is null
     union all
     select p.key_id, p.tenant_id, null, p.mode, p.principal, p.scopes, p.ip_allowlist, p.expires_at, p.id
     from key_proposal p
     where p.hash = $1
       and p.status = 'Open'`,
    [hash],
  );
  if (row === undefined) return undefined;
  if (row.proposal_id !== null) return { proposal: idOf("prop", row.proposal_id) };
  const tenant = idOf("ten", row.tenant_id);
  return {
    apiKeyId: idOf("key", row.id),
    session: null,
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

/**
 * Stores when keys were last used. An older time than the stored one changes nothing. Keys are locked in id order, as
 * by a revocation of several, so that the two can't deadlock.
 */
export async function updateKeysLastUsed(
  sql: Sql,
  uses: readonly { readonly id: ApiKeyId; readonly at: Date }[],
): Promise<void> {
  await sql(
    `update api_key k
     set last_used_at = u.at
     from (
       select l.id, n.at
       from unnest($1::uuid[], $2::timestamptz[]) as n (id, at)
       join api_key l on l.id = n.id
       where l.last_used_at is null
         or l.last_used_at < n.at
       order by l.id
       for no key update of l
     ) u
     where k.id = u.id`,
    [uses.map(({ id }) => uuidOf(id)), uses.map(({ at }) => at)],
  );
}
