import type { ApiKeyProposal } from "../../../../contracts/http/api-keys.ts";
import type { Scope } from "../../../../contracts/http/scopes.ts";
import {
  type ApiKeyId,
  idOf,
  type ProposalId,
  type TenantId,
  uuidOf,
} from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { TenantMode, NewApiKey } from "./api-keys.ts";

/** The key that a proposed key replaces. */
export interface Replacement {
  readonly id: ApiKeyId;
  readonly overlapHours: number;
}

/**
 * Inserts a proposal with every column of the future `api_key` row. If the proposal replaces a key without overlap, the
 * caller has revoked that key already. If the principal then has no right to approve, the revocation ended it:
 * `ended_right` stores the number of that change.
 */
export async function insertProposal(
  sql: Sql,
  id: ProposalId,
  key: NewApiKey,
  details: { readonly reason: string; readonly replaces: Replacement | undefined },
): Promise<void> {
  await sql(
    `insert into key_proposal
       (tenant_id, mode, id, key_id, hash, prefix, last4, name, principal, scopes, ip_allowlist, expires_at,
        replaces_key_id, overlap_hours, reason, proposed_by, created_by_key, ended_right)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, (
       select r.sequence
       from approval_right r
       where r.tenant_id = $1
         and r.mode = $2
         and r.principal = $9
         and r.held_until <= now()
         and $14 = 0
     ))`,
    [
      uuidOf(key.tenant),
      key.mode,
      uuidOf(id),
      uuidOf(key.id),
      key.hash,
      key.prefix,
      key.last4,
      key.name,
      key.principal,
      key.scopes,
      key.ipAllowlist,
      key.expiresAt,
      details.replaces === undefined ? null : uuidOf(details.replaces.id),
      details.replaces?.overlapHours ?? null,
      details.reason,
      key.createdBy,
      key.createdByKey === null ? null : uuidOf(key.createdByKey),
    ],
  );
}

/** The part of a proposal that a decision needs. */
export interface LockedProposal {
  readonly keyId: ApiKeyId;
  readonly status: ApiKeyProposal["status"];
  readonly principal: string;
  readonly scopes: readonly Scope[];
  /** When the key would end; null: never. */
  readonly expiresAt: Date | null;
  readonly proposedBy: string;
  readonly replaces: Replacement | undefined;
  /** The sequence of the change of the principal's right that its request made; null if it made none. */
  readonly endedRight: number | null;
}

/** Locks a proposal of a tenant's book, so that the second of two concurrent decisions finds it decided. */
export async function lockProposal(
  sql: Sql,
  { tenant, mode }: TenantMode,
  id: ProposalId,
): Promise<LockedProposal | undefined> {
  const [row] = await sql<{
    key_id: string;
    status: ApiKeyProposal["status"];
    principal: string;
    scopes: Scope[];
    expires_at: Date | null;
    proposed_by: string;
    replaces_key_id: string | null;
    overlap_hours: number | null;
    ended_right: number | null;
  }>(
    `select key_id, status, principal, scopes, expires_at, proposed_by, replaces_key_id, overlap_hours, ended_right
     from key_proposal
     where tenant_id = $1
       and mode = $2
       and id = $3
     for update`,
    [uuidOf(tenant), mode, uuidOf(id)],
  );
  return (
    row && {
      keyId: idOf("key", row.key_id),
      status: row.status,
      principal: row.principal,
      scopes: row.scopes,
      expiresAt: row.expires_at,
      proposedBy: row.proposed_by,
      replaces:
        row.replaces_key_id === null
          ? undefined
          : { id: idOf("key", row.replaces_key_id), overlapHours: row.overlap_hours ?? 0 },
      endedRight: row.ended_right,
    }
  );
}

export async function decideProposal(
  sql: Sql,
  { tenant, mode }: TenantMode,
  id: ProposalId,
  decision: { readonly status: "Approved" | "Denied"; readonly by: string },
): Promise<void> {
  await sql(
    `update key_proposal
     set status = $4,
         decided_by = $5,
         decided_at = now()
     where tenant_id = $1
       and mode = $2
       and id = $3`,
    [uuidOf(tenant), mode, uuidOf(id), decision.status, decision.by],
  );
}

/** Denies the open proposals of keys that would act for a principal, or that the principal made. Returns both ids. */
export async function denyKeyProposalsOf(
  sql: Sql,
  { tenant, mode }: TenantMode,
  principal: string,
  by: string,
): Promise<{ readonly proposalId: ProposalId; readonly keyId: ApiKeyId }[]> {
  const denied = await sql<{ id: string; key_id: string }>(
    `update key_proposal
     set status = 'Denied',
         decided_by = $4,
         decided_at = now()
     where tenant_id = $1
       and mode = $2
       and status = 'Open'
       and $3 in (principal, proposed_by)
     returning id, key_id`,
    [uuidOf(tenant), mode, principal, by],
  );
  return denied.map(({ id, key_id: key }) => ({ proposalId: idOf("prop", id), keyId: idOf("key", key) }));
}

/** Denies the open proposals of some keys, and those that would replace one of them. Returns the keys of both. */
export async function denyProposalsOfKeys(
  sql: Sql,
  tenant: TenantId,
  keys: readonly ApiKeyId[],
  by: string,
): Promise<ApiKeyId[]> {
  const denied = await sql<{ key_id: string }>(
    `update key_proposal
     set status = 'Denied',
         decided_by = $3,
         decided_at = now()
     where tenant_id = $1
       and status = 'Open'
       and (key_id in (select unnest($2::uuid[])) or replaces_key_id in (select unnest($2::uuid[])))
     returning key_id`,
    [uuidOf(tenant), keys.map(uuidOf), by],
  );
  return denied.map(({ key_id: id }) => idOf("key", id));
}

/** Inserts the key of an approved proposal. It is created at the time of its proposal. */
export async function activateProposedKey(
  sql: Sql,
  { tenant, mode }: TenantMode,
  id: ProposalId,
): Promise<void> {
  await sql(
    `insert into api_key
       (id, tenant_id, mode, hash, prefix, last4, name, principal, scopes, ip_allowlist, expires_at, created_by,
        created_at, approved_by, created_by_key)
     select key_id, tenant_id, mode, hash, prefix, last4, name, principal, scopes, ip_allowlist, expires_at,
       proposed_by, proposed_at, decided_by, created_by_key
     from key_proposal
     where tenant_id = $1
       and mode = $2
       and id = $3
       and status = 'Approved'`,
    [uuidOf(tenant), mode, uuidOf(id)],
  );
}
