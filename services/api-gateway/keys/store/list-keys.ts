import type { ApiKey, ApiKeyQuery } from "../../../../contracts/http/api-keys.ts";
import type { Scope } from "../../../../contracts/http/scopes.ts";
import { type ApiKeyId, idOf, type Mode, uuidOf } from "../../../../contracts/ids/ids.ts";
import { aboveAllUuids } from "../../../platform/persistence/page.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { TenantMode } from "./api-keys.ts";

/** Pending and Denied come from the proposal, every other status from the key's own dates. */
const status = `case
  when proposal_status = 'Open' then 'Pending'
  when proposal_status is not null then proposal_status
  when revoked_at is not null then 'Revoked'
  when expires_at <= now() then 'Expired'
  else 'Active'
end`;

/** The columns of the view `shown_key` that an answer needs. */
export const keyColumns = `id, mode, prefix, last4, name, principal, scopes, ip_allowlist, created_by, created_at, approved_by,
  expires_at, last_used_at, revoked_by, revoked_at, replaced_by,
  case when proposal_status = 'Open' then proposal_id end as proposal_id, ${status} as status`;

/** Leaves out approved proposals: their keys are rows of `api_key`. */
export const isNotApprovedProposal = "proposal_status is distinct from 'Approved'";

export interface KeyRow {
  id: string;
  mode: Mode;
  prefix: string;
  last4: string;
  name: string;
  principal: string;
  scopes: Scope[];
  ip_allowlist: string[];
  created_by: string;
  created_at: Date;
  approved_by: string | null;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_by: string | null;
  revoked_at: Date | null;
  replaced_by: string | null;
  proposal_id: string | null;
  status: ApiKey["status"];
}

export function toApiKey(row: KeyRow): ApiKey {
  return {
    id: idOf("key", row.id),
    name: row.name,
    principal: row.principal,
    mode: row.mode,
    scopes: row.scopes,
    ipAllowlist: row.ip_allowlist,
    prefix: row.prefix,
    last4: row.last4,
    status: row.status,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    approvedBy: row.approved_by,
    expiresAt: row.expires_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    revokedAt: row.revoked_at?.toISOString() ?? null,
    revokedBy: row.revoked_by,
    replacedBy: row.replaced_by === null ? null : idOf("key", row.replaced_by),
    proposalId: row.proposal_id === null ? null : idOf("prop", row.proposal_id),
  };
}

/** A key of the book as its tenant sees it, Pending and Denied ones too. */
export async function readKey(sql: Sql, book: TenantMode, id: ApiKeyId): Promise<ApiKey | undefined> {
  const [row] = await sql<KeyRow>(
    `select ${keyColumns}
     from shown_key
     where tenant_id = $1
       and mode = $2
       and id = $3
       and ${isNotApprovedProposal}`,
    [uuidOf(book.tenant), book.mode, uuidOf(id)],
  );
  return row && toApiKey(row);
}

/** Also through keys that are revoked. Two index probes for each key on the way. */
const descendants = (columns: string, statuses: string) => `with recursive made (id) as (
       select id from shown_key
       where created_by_key = $3
       union
       select k.id
       from made m
       join shown_key k on k.created_by_key = m.id
     )
     select ${columns}
     from shown_key
     where tenant_id = $1
       and mode = $2
       and id in (select id from made)
       and ${isNotApprovedProposal}
       and ${status} in (${statuses})`;
const unendedDescendants = (columns: string) => descendants(columns, "'Pending', 'Active'");

/** The keys that a key made, directly or through keys that it made, as far as they work or wait; newest first. */
export async function readUnendedDescendants(sql: Sql, book: TenantMode, id: ApiKeyId): Promise<ApiKey[]> {
  const rows = await sql<KeyRow>(`${unendedDescendants(keyColumns)} order by id desc`, [
    uuidOf(book.tenant),
    book.mode,
    uuidOf(id),
  ]);
  return rows.map(toApiKey);
}

/** The oldest of them: a key is younger than the one that made it. */
export async function listOldestDescendants(
  sql: Sql,
  book: TenantMode,
  id: ApiKeyId,
  limit: number,
): Promise<ApiKeyId[]> {
  const rows = await sql<{ id: string }>(`${unendedDescendants("id")} order by id limit $4`, [
    uuidOf(book.tenant),
    book.mode,
    uuidOf(id),
    limit,
  ]);
  return rows.map((row) => idOf("key", row.id));
}

/** Those of them that were revoked or denied, whenever and by whomever. */
export async function listEndedDescendants(sql: Sql, book: TenantMode, id: ApiKeyId): Promise<ApiKeyId[]> {
  const rows = await sql<{ id: string }>(descendants("id", "'Revoked', 'Denied'"), [
    uuidOf(book.tenant),
    book.mode,
    uuidOf(id),
  ]);
  return rows.map((row) => idOf("key", row.id));
}

/** These keys of the book, newest first. */
export async function readKeys(sql: Sql, book: TenantMode, ids: readonly ApiKeyId[]): Promise<ApiKey[]> {
  const rows = await sql<KeyRow>(
    `select ${keyColumns}
     from shown_key
     where tenant_id = $1
       and mode = $2
       and id = any ($3::uuid[])
       and ${isNotApprovedProposal}
     order by id desc`,
    [uuidOf(book.tenant), book.mode, ids.map(uuidOf)],
  );
  return rows.map(toApiKey);
}

/** The page after `after`, newest first: `limit + 1` rows. Reads the index (tenant_id, mode, id) backwards. */
export async function listKeys(
  sql: Sql,
  book: TenantMode,
  query: ApiKeyQuery,
  after: string | null,
): Promise<ApiKey[]> {
  const params: unknown[] = [uuidOf(book.tenant), book.mode, after ?? aboveAllUuids, query.limit + 1];
  const rows = await sql<KeyRow>(
    `select ${keyColumns}
     from shown_key
     where tenant_id = $1
       and mode = $2
       and id < $3
       and ${isNotApprovedProposal}
       ${query.status === undefined ? "" : `and ${status} = any ($${String(params.push(query.status))}::text[])`}
     order by id desc
     limit $4`,
    params,
  );
  return rows.map(toApiKey);
}
