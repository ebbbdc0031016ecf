import { idOf, type Mode, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { TenantMode } from "./api-keys.ts";

interface ApprovalRight {
  readonly sequence: number;
  /** Null: no end. In the past: lost. */
  readonly heldUntil: Date | null;
  /** When the principal last got it back by a new key or role; null if it never did. */
  readonly heldSince: Date | null;
}

/**
 * Computes from the keys in force and the roles of its person until when a principal may approve, and stores it.
 * Undefined if that has not changed.
 * A principal whose right never had an end has no row. A right that was lost is held anew from now on, unless the
 * change that ended it is the one of sequence `continues`.
 */
export async function updateApprovalRight(
  sql: Sql,
  { tenant, mode }: TenantMode,
  principal: string,
  { continues }: { readonly continues: number | null },
): Promise<ApprovalRight | undefined> {
  const [changed] = await sql<ApprovalRight>(
    `with held (held_until) as (
       select case
           when count(*) = 0 then 'epoch'::timestamptz
           when bool_or(expires_at is null) then null
           else max(expires_at)
         end
       from (
         select expires_at
         from api_key
         where tenant_id = $1
           and mode = $2
           and principal = $3
           and revoked_at is null
           and 'orders:approve' = any (scopes)
         union all
         select null
         from person p
         join person_role r on r.person_id = p.id
         where p.tenant_id = $1
           and p.principal = $3
           and p.status = 'Active'
           and r.mode = $2
           and r.role = 'Approver'
       ) right_of
     )
     insert into approval_right as known (tenant_id, mode, principal, sequence, held_until)
     select $1, $2, $3, 1, held_until
     from held
     where held_until is not null
       or exists (
         select from approval_right r
         where r.tenant_id = $1
           and r.mode = $2
           and r.principal = $3
       )
     on conflict on constraint approval_right_pkey do update
       set sequence = known.sequence + 1,
           held_until = excluded.held_until,
           held_since = case
             when known.held_until <= now()
               and coalesce(excluded.held_until > now(), true)
               and known.sequence is distinct from $4 then now()
             else known.held_since
           end
       where known.held_until is distinct from excluded.held_until
     returning sequence, held_until as "heldUntil", held_since as "heldSince"`,
    [uuidOf(tenant), mode, principal, continues],
  );
  return changed;
}

/** The stored rights of these principals; of one whose right never had an end there is none. */
export async function readApprovalRights(
  sql: Sql,
  { tenant, mode }: TenantMode,
  principals: readonly string[],
): Promise<{ principal: string; sequence: number; heldUntil: string | null; heldSince: string | null }[]> {
  const rows = await sql<ApprovalRight & { principal: string }>(
    `select principal, sequence, held_until as "heldUntil", held_since as "heldSince"
     from approval_right
     where tenant_id = $1
       and mode = $2
       and principal = any ($3::text[])`,
    [uuidOf(tenant), mode, principals],
  );
  return rows.map(({ heldUntil, heldSince, ...right }) => ({
    ...right,
    heldUntil: heldUntil?.toISOString() ?? null,
    heldSince: heldSince?.toISOString() ?? null,
  }));
}

/**
 * Principals without a stored right, none of whose keys with `orders:approve` is in force without an end, in no book of
 * `except`. Reads the keys with that scope once, by their index.
 */
export async function findUnpublished(
  sql: Sql,
  limit: number,
  except: readonly TenantMode[],
): Promise<(TenantMode & { readonly principal: string })[]> {
  const rows = await sql<{ tenant_id: string; mode: Mode; principal: string }>(
    `select k.tenant_id, k.mode, k.principal
     from api_key k
     where 'orders:approve' = any (k.scopes)
       and (k.tenant_id, k.mode) not in (select * from unnest($2::uuid[], $3::text[]))
       and not exists (
         select from approval_right r
         where r.tenant_id = k.tenant_id
           and r.mode = k.mode
           and r.principal = k.principal
       )
       and not exists (
         select from person p
         join person_role r on r.person_id = p.id
         where p.tenant_id = k.tenant_id
           and p.principal = k.principal
           and p.status = 'Active'
           and r.mode = k.mode
           and r.role = 'Approver'
       )
     group by k.tenant_id, k.mode, k.principal
     having not bool_or(k.revoked_at is null and k.expires_at is null)
     limit $1`,
    [limit, except.map(({ tenant }) => uuidOf(tenant)), except.map(({ mode }) => mode)],
  );
  return rows.map(({ tenant_id: tenant, mode, principal }) => ({
    tenant: idOf("ten", tenant),
    mode,
    principal,
  }));
}
