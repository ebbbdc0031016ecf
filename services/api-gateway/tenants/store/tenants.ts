import { idOf, type TenantId, uuidOf } from "../../../../contracts/ids/ids.ts";
import { spellingsOf } from "../../../../contracts/text/text.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

export interface Tenant {
  readonly id: TenantId;
  readonly name: string;
  readonly status: "Active" | "Suspended";
  readonly createdAt: Date;
}

interface TenantRow {
  id: string;
  name: string;
  status: Tenant["status"];
  created_at: Date;
}

const columns = "id, name, status, created_at";

function toTenant(row: TenantRow): Tenant {
  return { id: idOf("ten", row.id), name: row.name, status: row.status, createdAt: row.created_at };
}

/**
 * Inserts a tenant; returns undefined if the name is taken, in any case. No unique index holds the rule for case,
 * because tenants that exist may differ in it: until the end of the transaction nobody else inserts one.
 */
export async function insertTenant(sql: Sql, id: TenantId, name: string): Promise<Tenant | undefined> {
  await sql("select pg_advisory_xact_lock(hashtextextended('tenant-names', 0))");
  const [row] = await sql<TenantRow>(
    `insert into tenant (id, name)
     select $1, $2
     where not exists (
       select
       from tenant t
       where casefold(t.name collate pg_unicode_fast) = casefold($2 collate pg_unicode_fast)
     )
     on conflict on constraint tenant_name_taken do nothing
     returning ${columns}`,
    [uuidOf(id), name],
  );
  return row && toTenant(row);
}

export async function findTenant(sql: Sql, id: TenantId): Promise<Tenant | undefined> {
  const [row] = await sql<TenantRow>(`select ${columns} from tenant where id = $1`, [uuidOf(id)]);
  return row && toTenant(row);
}

export async function findTenantByName(sql: Sql, name: string): Promise<Tenant | undefined> {
  const rows = await sql<TenantRow>(`select ${columns} from tenant where name = any($1::text[])`, [
    spellingsOf(name),
  ]);
  const row = rows.find((each) => each.name === name) ?? rows[0];
  return row && toTenant(row);
}

export async function listTenants(sql: Sql): Promise<Tenant[]> {
  const rows = await sql<TenantRow>(`select ${columns} from tenant order by created_at`);
  return rows.map(toTenant);
}

/**
 * Sets the status. Returns its new version, which counts the changes; null if the tenant has the status already,
 * undefined if there is no such tenant. The row lock makes the second of two concurrent operators see the first one's
 * change.
 */
export async function updateTenantStatus(
  sql: Sql,
  id: TenantId,
  status: Tenant["status"],
): Promise<number | null | undefined> {
  const [before] = await sql<{ status: Tenant["status"] }>(
    "select status from tenant where id = $1 for update",
    [uuidOf(id)],
  );
  if (before === undefined) return undefined;
  if (before.status === status) return null;
  const [after] = await sql<{ status_version: number }>(
    `update tenant
     set status = $2,
         status_version = status_version + 1,
         status_changed_at = now()
     where id = $1
     returning status_version`,
    [uuidOf(id), status],
  );
  if (after === undefined) throw new TypeError(`the update of ${id} returned no row`);
  return after.status_version;
}
