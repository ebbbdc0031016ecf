/** Each list of people, sessions and the audit log reads what it shows: 100,000 rows each, with analyzed tables. */
import { describe, expect, it } from "vitest";
import { idOf, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { readsOf, readsOfKeptPlan, type Reads } from "../../../test/stack/database/plans.ts";
import { asAdmin, connectTo } from "../../../test/stack/servers/database.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { listAudit, listPeople, listRoleProposals, listSessions } from "./store/list-people.ts";

const tenant = newId("ten");
const test = { tenant, mode: "Test" } as const;
const uuid = (number: number) => `019c0000-0000-7000-8000-${String(number).padStart(12, "0")}`;
const uuidOfNumber = (n: string) => `('019c0000-0000-7000-8000-' || lpad((${n})::text, 12, '0'))::uuid`;
const units = await forThisFile(openFreshUnits("gateway"));

const people = `
  insert into gateway.person (id, tenant_id, principal, email, name, created_by)
  select ${uuidOfNumber("n")}, $1, 'person ' || n, n || '@acme.example', 'Person', 'operator'
  from generate_series(1, 100000) n`;
const roles = `
  insert into gateway.person_role (person_id, mode, role, given_by)
  select id, 'Test', role, 'operator' from gateway.person, unnest(array['Viewer', 'Maker']) role`;
const proposals = `
  insert into gateway.role_proposal (id, tenant_id, mode, person_id, principal, roles, proposed_by)
  select ${uuidOfNumber("n")}, $1, case when n % 100 = 0 then 'Test' else 'Live' end,
    ${uuidOfNumber("n")}, 'person ' || n, '{Approver}', 'ida'
  from generate_series(1, 100000) n`;
/** Person 1 has signed in 100,000 times; every hundredth session has not ended. */
const sessions = `
  insert into gateway.session (id, person_id, hash, method, address, ends_at, ended_at, ended_because)
  select ${uuidOfNumber("n")}, ${uuidOfNumber("1")}, sha256(n::text::bytea), 'Password', '203.0.113.9',
    now() + interval '1 hour', case when n % 100 > 0 then now() end, case when n % 100 > 0 then 'SignedOut' end
  from generate_series(1, 100000) n`;
/** Nearly everything was done in Live, by ida, to per_1. */
const log = `
  insert into gateway.audit (id, tenant_id, mode, actor, action, object_id)
  select ${uuidOfNumber("n")}, $1, case n % 1000 when 0 then 'Test' when 1 then null else 'Live' end,
    case when n % 2000 = 0 then 'sam' else 'ida' end, 'StepUpUsed', case when n % 4000 = 0 then 'po_2' else 'per_1' end
  from generate_series(1, 100000) n`;
const ofTenant = [uuidOf(tenant)];
await asAdmin(
  units.adminUrl,
  ["insert into gateway.tenant (id, name) values ($1, 'Large')", ofTenant],
  [people, ofTenant],
  roles,
  [proposals, ofTenant],
  sessions,
  [log, ofTenant],
  "vacuum analyze gateway.person, gateway.person_role, gateway.role_proposal, gateway.session, gateway.audit",
);

const sql: Sql = (text, params) => units.database.sql(text, params);
const client = await forThisFile(connectTo(units.url));
await client.query("set search_path = gateway");

type Plan = (text: string, params: readonly unknown[]) => Promise<Reads>;
const plans: readonly (readonly [string, Plan])[] = [
  ["a fresh plan", (text, params) => readsOf(sql, text, params)],
  ["a cached plan", (text, params) => readsOfKeptPlan(client, text, params)],
];

async function readsIn(plan: Plan, list: (by: Sql) => Promise<unknown>): Promise<Reads> {
  let reads: Reads | undefined;
  await list(async (text, params = []) => {
    reads = await plan(text, params);
    return [];
  });
  if (reads === undefined) throw new Error("nothing was read");
  return reads;
}

const numbersOf = (found: readonly { id: string }[]) =>
  found.map(({ id }) => Number(uuidOf(id as `aud_${string}`).slice(-12)));
const page = { after: null, limit: 3 };
const later = { after: uuid(50_001), limit: 3 };
const person = idOf("per", uuid(1));

describe.each(plans)("with %s", (_name, plan) => {
  it.each<[string, number[], (by: Sql) => Promise<readonly { id: string }[]>]>([
    ["people", [100_000, 99_999, 99_998, 99_997], (by) => listPeople(by, tenant, page)],
    ["people far down", [50_000, 49_999, 49_998, 49_997], (by) => listPeople(by, tenant, later)],
    [
      "proposed roles",
      [100_000, 99_900, 99_800, 99_700],
      (by) => listRoleProposals(by, test, { limit: 3 }, null),
    ],
    [
      "open proposals far down",
      [50_000, 49_900, 49_800, 49_700],
      (by) => listRoleProposals(by, test, { limit: 3, status: ["Denied", "Open"] }, uuid(50_001)),
    ],
    ["the audit log", [100_000, 99_001, 99_000, 98_001], (by) => listAudit(by, test, page)],
    ["the audit log far down", [50_000, 49_001, 49_000, 48_001], (by) => listAudit(by, test, later)],
    [
      "what one principal did",
      [100_000, 98_000, 96_000, 94_000],
      (by) => listAudit(by, test, { ...page, actor: "sam" }),
    ],
    [
      "what was done to one object",
      [100_000, 96_000, 92_000, 88_000],
      (by) => listAudit(by, test, { ...page, objectId: "po_2" }),
    ],
  ])("a page of %s reads at most 40 rows", async (_what, shown, list) => {
    expect(numbersOf(await list(sql))).toEqual(shown);
    const reads = await readsIn(plan, list);
    expect(reads.sequentialScans).toEqual([]);
    expect(reads.rows).toBeLessThan(40);
  });

  it("a page of sessions passes those that have ended, by its index", async () => {
    const list = (by: Sql) => listSessions(by, person, newId("ses"), page);
    expect(numbersOf(await list(sql))).toEqual([100_000, 99_900, 99_800, 99_700]);
    const reads = await readsIn(plan, list);
    expect(reads.sequentialScans).toEqual([]);
    expect(reads.rows).toBeLessThan(500);
  });
});
