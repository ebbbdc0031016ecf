/** The people of a local run's demo tenant: a maker, two approvers for a wire, and two admins. */
import pg from "pg";
import type { Role } from "../../../contracts/http/roles.ts";
import { type TenantId, uuidOf } from "../../../contracts/ids/ids.ts";
import { invitePerson } from "../../../services/api-gateway/people/invite-person.ts";
import { OutboxWriter } from "../../../services/platform/outbox/outbox.ts";
import type { Sql } from "../../../services/platform/persistence/sql.ts";

export interface DemoPerson {
  readonly principal: string;
  readonly name: string;
  /** In Test. Nobody of them has a role in Live. */
  readonly roles: readonly Role[];
}

const demoPeople: readonly DemoPerson[] = [
  { principal: "maya", name: "Maya Lindqvist", roles: ["Maker", "Developer"] },
  { principal: "noor", name: "Noor Rahman", roles: ["Approver"] },
  { principal: "omar", name: "Omar Haddad", roles: ["Approver", "Admin"] },
  { principal: "ada", name: "Ada Okafor", roles: ["Admin"] },
];

/** Creates those that the tenant does not have, and returns all of them. */
export async function seedPeople(gatewayUrl: string, tenant: TenantId): Promise<readonly DemoPerson[]> {
  const client = new pg.Client(gatewayUrl);
  await client.connect();
  const sql: Sql = async <R extends object>(text: string, params: readonly unknown[] = []) =>
    (await client.query(text, [...params])).rows as R[];
  try {
    const rows = await sql<{ principal: string }>("select principal from person where tenant_id = $1", [
      uuidOf(tenant),
    ]);
    const known = new Set(rows.map(({ principal }) => principal));
    // People without an earlier right to approve publish nothing.
    const outbox = new OutboxWriter(1);
    for (const { principal, name, roles } of demoPeople.filter((person) => !known.has(person.principal))) {
      const email = `${principal}@${tenant.slice(-8)}.example`;
      const invitation = { tenant, principal, email, name, roles: { Test: roles, Live: [] }, isDemo: true };
      await invitePerson({ sql, outbox }, invitation);
    }
    return demoPeople;
  } finally {
    await client.end();
  }
}
