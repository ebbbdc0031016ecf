import { type TenantId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/**
 * Locks the tenant for whoever gives keys of it, until the end of the transaction: two keys that are made at once
 * could else bring two spellings of one principal. Answers whether there is such a tenant. Reads go on.
 */
export async function lockTenantKeys(sql: Sql, tenant: TenantId): Promise<boolean> {
  const rows = await sql("select 1 from tenant where id = $1 for no key update", [uuidOf(tenant)]);
  return rows.length > 0;
}

/** A principal as it is spelt. `known`: a key in force speaks, or has spoken, for it; else it only waits for one. */
export interface Principal {
  readonly name: string;
  readonly known: boolean;
}

/** The tenant's principal whose name differs in case at most. */
export async function findPrincipalLike(
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
