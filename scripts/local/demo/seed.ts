/** The demo tenant of a local run, with a key for each role. */
import pg from "pg";
import { type Scope, scopes } from "../../../contracts/http/scopes.ts";
import { bookIdOf, type Mode, type TenantId } from "../../../contracts/ids/ids.ts";
import { createTenant } from "../../../services/api-gateway/tenants/create-tenant.ts";
import { OutboxWriter } from "../../../services/platform/outbox/outbox.ts";
import { createKeyAsOperator } from "../../../services/api-gateway/keys/create-key-as-operator.ts";
import type { Sql } from "../../../services/platform/persistence/sql.ts";

interface Part {
  readonly principal: string;
  readonly mode: Mode;
  readonly scopes: readonly Scope[];
}

const approver: readonly Scope[] = ["orders:read", "orders:approve", "policy:write"];

export const parts = {
  maker: { principal: "maker", mode: "Test", scopes: scopes.filter((scope) => scope !== "orders:approve") },
  approver1: { principal: "approver1", mode: "Test", scopes: approver },
  approver2: { principal: "approver2", mode: "Test", scopes: approver },
  admin: { principal: "admin", mode: "Test", scopes },
  live: { principal: "admin", mode: "Live", scopes },
} as const satisfies Record<string, Part>;
export type PartName = keyof typeof parts;

export interface SeededTenant {
  readonly tenant: { id: TenantId; name: string; testBook: string; liveBook: string };
  readonly keys: Readonly<Record<PartName, string>>;
  readonly principals: Readonly<
    Record<PartName, { principal: string; mode: Mode; scopes: readonly Scope[] }>
  >;
}

/** Creates a tenant and its keys. `gatewayUrl` is the gateway's own database URL, which has the rights for this. */
export async function seedTenant(gatewayUrl: string, name: string): Promise<SeededTenant> {
  const client = new pg.Client(gatewayUrl);
  await client.connect();
  const sql: Sql = async <R extends object>(text: string, params: readonly unknown[] = []) =>
    (await client.query(text, [...params])).rows as R[];
  try {
    const { id } = await createTenant(sql, name);
    // Keys without an end in a new tenant publish nothing.
    const outbox = new OutboxWriter(1);
    const keys: Partial<Record<PartName, string>> = {};
    for (const [part, { principal, mode, scopes: granted }] of Object.entries(parts) as [PartName, Part][]) {
      keys[part] = (
        await createKeyAsOperator(
          { sql, outbox },
          { tenant: id, mode, principal, scopes: granted, name: part },
        )
      ).key;
    }
    return {
      tenant: { id, name, testBook: bookIdOf(id, "Test"), liveBook: bookIdOf(id, "Live") },
      keys: keys as Record<PartName, string>,
      principals: parts,
    };
  } finally {
    await client.end();
  }
}
