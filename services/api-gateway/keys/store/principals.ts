import { type ApiKeyId, type TenantId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/**
 * Lets one transaction at a time create keys of a tenant: two concurrent creates could introduce two spellings of one
 * principal. Reads are not blocked. Returns whether the tenant exists.
 */
export async function lockTenantKeys(sql: Sql, tenant: TenantId): Promise<boolean> {
  const rows = await sql("select 1 from tenant where id = $1 for no key update", [uuidOf(tenant)]);
  return rows.length > 0;
}

/** The same for the tenant of a key. */
export async function lockTenantOfKey(sql: Sql, key: ApiKeyId): Promise<void> {
  await sql(
    `select 1
     from tenant
     where id = (select tenant_id from api_key where id = $1)
     for no key update`,
    [uuidOf(key)],
  );
}

/** A principal in its stored spelling. `known`: it has, or had, an active key; otherwise it has open proposals only. */
export interface Principal {
  readonly name: string;
  readonly known: boolean;
}

/** The tenant's principal of this name, ignoring case. */
export async function findSimilarPrincipal(
  sql: Sql,
  tenant: TenantId,
  name: string,
): Promise<Principal | undefined> {
  const [found] = await sql<{ name: string; known: boolean }>(
    `(select principal as name, true as known
      from api_key
      where tenant_id = $1
        and casefold(principal collate pg_unicode_fast) = casefold($2::text collate pg_unicode_fast)
      limit 1)
     union all
     (select principal, false
      from key_proposal
      where tenant_id = $1
        and status = 'Open'
        and casefold(principal collate pg_unicode_fast) = casefold($2::text collate pg_unicode_fast)
      limit 1)`,
    [uuidOf(tenant), name],
  );
  return found;
}
