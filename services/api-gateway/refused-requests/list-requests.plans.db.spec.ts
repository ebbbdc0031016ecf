/** The lists of refused requests read what they show: 100,000 rows, with an analyzed table. */
import { describe, expect, it } from "vitest";
import { newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { readsOf, readsOfKeptPlan, type Reads } from "../../../test/stack/database/plans.ts";
import { asAdmin, connectTo } from "../../../test/stack/servers/database.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { listRefusedRequests, summarizeRefusals } from "./store/refused-requests.ts";

const tenant = newId("ten");
const book = { tenant, mode: "Test" } as const;
const units = await forThisFile(openFreshUnits("gateway"));
/** One in 100 is of the Test book; of those one in 10 has another code, one in 10 is a failure of ours. */
const requests = `
  insert into gateway.refused_request
  select ('ffff0000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1,
    case when n % 100 = 0 then 'Test' else 'Live' end, 'GET', '/v1/me', case when n % 1000 = 0 then 503 else 400 end,
    case when n % 1000 = 0 then 'service_unavailable' when n % 1000 = 500 then 'invalid_cursor' else 'invalid_field' end,
    'maya', null, 1, now()
  from generate_series(1, 100000) n`;
await asAdmin(
  units.adminUrl,
  ["insert into gateway.tenant (id, name) values ($1, 'Large')", [uuidOf(tenant)]],
  [requests, [uuidOf(tenant)]],
  "vacuum analyze gateway.refused_request",
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

const far = "ffff0000-0000-7000-8000-000000050001";
const list =
  (query: object, after: string | null = null) =>
  (by: Sql) =>
    listRefusedRequests(by, book, { limit: 3, ...query }, after);

describe.each(plans)("with %s", (_name, plan) => {
  it.each<[string, number[], ReturnType<typeof list>]>([
    ["all", [100_000, 99_900, 99_800, 99_700], list({})],
    ["all far down", [50_000, 49_900, 49_800, 49_700], list({}, far)],
    ["one code", [99_500, 98_500, 97_500, 96_500], list({ code: "invalid_cursor" })],
    ["one class", [100_000, 99_000, 98_000, 97_000], list({ status: "5xx" })],
    ["the other class far down", [49_900, 49_800, 49_700, 49_600], list({ status: "4xx" }, far)],
  ])("a page of %s reads at most 10 rows", async (_what, shown, read) => {
    const found = await read(sql);
    expect(found.map(({ id }) => Number(uuidOf(id).slice(-12)))).toEqual(shown);
    const reads = await readsIn(plan, read);
    expect(reads.sequentialScans).toEqual([]);
    expect(reads.rows).toBeLessThanOrEqual(10);
  });

  it("the summary reads the book's own rows only", async () => {
    const summary = (by: Sql) => summarizeRefusals(by, book, {});
    expect((await summary(sql)).data.map(({ code, requests: count }) => [code, count])).toEqual([
      ["invalid_field", 800],
      ["invalid_cursor", 100],
      ["service_unavailable", 100],
    ]);
    const reads = await readsIn(plan, summary);
    expect(reads.sequentialScans).toEqual([]);
    expect(reads.rows).toBeLessThanOrEqual(1_000);
  });

  it("the summary reads at most 1,000 rows of a code", async () => {
    const live = { tenant, mode: "Live" } as const;
    const summary = (by: Sql) => summarizeRefusals(by, live, {});
    expect((await summary(sql)).data.map(({ requests: count }) => count)).toEqual([1_000]);
    expect((await readsIn(plan, summary)).rows).toBeLessThanOrEqual(1_000);
  });
});
