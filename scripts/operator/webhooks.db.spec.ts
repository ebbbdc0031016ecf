import pg from "pg";
import { afterAll, describe, expect, it, vi } from "vitest";
import { bookIdOf, idOf, newId, newUuid, type TenantId, uuidOf } from "../../contracts/ids/ids.ts";
import { forThisFile } from "../../test/stack/for-this-file.ts";
import { createDatabase } from "../../test/stack/servers/database.ts";
import { runCommandLine } from "./command-line/command-line.ts";
import { webhooks } from "./webhooks.ts";

const database = await forThisFile(createDatabase(["gateway", "webhooks"]));
const client = await forThisFile(new pg.Client(database.adminUrl));
await client.connect();
vi.stubEnv("DATABASE_URL", database.adminUrl);
afterAll(() => vi.unstubAllEnvs());

async function run(...args: string[]): Promise<{ code: number; out: string[]; error: string }> {
  const [out, error]: [string[], string[]] = [[], []];
  const streams = { out: (line: string) => out.push(line), error: (line: string) => error.push(line) };
  const code = await runCommandLine(webhooks, args, streams);
  return { code, out, error: error.at(-1) ?? "" };
}
const json = async (...args: string[]) =>
  (await run(...args, "--json")).out.map((line) => JSON.parse(line) as Record<string, unknown>);

async function tenantNamed(name: string): Promise<TenantId> {
  const id = newId("ten");
  await client.query("insert into gateway.tenant (id, name) values ($1, $2)", [uuidOf(id), name]);
  return id;
}
async function endpointOf(tenant: TenantId, mode: "Test" | "Live", deleted = false): Promise<string> {
  const id = newUuid();
  await client.query(
    `insert into webhooks.endpoint
       (id, book_id, mode, url, event_types, metadata, api_version, status, created_at, deleted_at)
     values ($1, $2, $3, 'https://hooks.example/' || $3, '{*}', '{}', 'v1', $4, '2026-03-02T15:00:00Z', $5)`,
    [id, uuidOf(bookIdOf(tenant, mode)), mode, deleted ? "Disabled" : "Enabled", deleted ? new Date() : null],
  );
  return id;
}
/** Of the endpoint, with a last attempt that was answered 503. */
async function delivery(endpoint: string, status: string, id = newUuid()): Promise<string> {
  await client.query(
    `insert into webhooks.delivery (id, book_id, event_id, endpoint_id, event_type, api_version, status, attempt_count,
       attempts_allowed, claimable_at, created_at)
     select $1, book_id, $2, id, 'payment_order.completed', 'v1', $3, 2, 3,
       case when $3 = 'Retrying' then now() end, '2026-03-02T15:00:00Z'
     from webhooks.endpoint where id = $4`,
    [id, newUuid(), status, endpoint],
  );
  for (const [responseStatus, at] of [
    [500, "2026-03-02T15:00:01.000Z"],
    [503, "2026-03-02T15:01:01.000Z"],
  ]) {
    await client.query(
      `insert into webhooks.attempt (delivery_id, id, at, duration_ms, response_status, error_class)
       values ($1, $2, $3, 5, $4, 'Status')`,
      [id, newUuid(), at, responseStatus],
    );
  }
  return idOf("wh", id);
}

const [acme, northwind] = [await tenantNamed("Acme"), await tenantNamed("Northwind")];
const [live, test, gone] = [
  await endpointOf(acme, "Live"),
  await endpointOf(northwind, "Test"),
  await endpointOf(northwind, "Test", true),
];
const [first, second] = [await delivery(live, "DeadLettered"), await delivery(live, "DeadLettered")];
await delivery(live, "Retrying");
await delivery(live, "Delivered");
const other = await delivery(test, "DeadLettered");
const ofDeleted = await delivery(gone, "DeadLettered");

describe("endpoints", () => {
  it("lists those of all tenants that are not deleted, with their open and dead deliveries", async () => {
    const shown = await json("endpoints");
    expect(shown).toHaveLength(2);
    expect(shown).toContainEqual({
      endpoint: idOf("we", live),
      tenant: acme,
      name: "Acme",
      mode: "Live",
      status: "Enabled",
      url: "https://hooks.example/Live",
      eventTypes: ["*"],
      createdAt: "2026-03-02T15:00:00.000Z",
      open: 1,
      deadLettered: 2,
    });
    expect((await run("endpoints", "--tenant", "Acme")).out).toEqual([
      `${idOf("we", live)}  Acme Live  Enabled  1 open  2 dead  https://hooks.example/Live`,
    ]);
  });

  it("names a tenant that is not there", async () => {
    expect(await run("endpoints", "--tenant", "Nobody")).toMatchObject({
      code: 1,
      error: "no tenant Nobody; see npm run tenants -- list",
    });
  });
});

describe("dead", () => {
  const shown = async (...args: string[]) => (await json("dead", ...args)).map((row) => row["delivery"]);

  it("lists the dead letters of all tenants newest first, also those of deleted endpoints", async () => {
    expect(await shown()).toEqual([ofDeleted, other, second, first]);
    expect((await json("dead", "--tenant", acme))[1]).toMatchObject({
      delivery: first,
      tenant: acme,
      mode: "Live",
      endpoint: idOf("we", live),
      eventType: "payment_order.completed",
      attempts: 2,
      lastAttempt: { at: "2026-03-02T15:01:01.000Z", responseStatus: 503, errorClass: "Status", error: null },
    });
  });

  it("lists those of a tenant, of an endpoint, since a time, and no more than the limit", async () => {
    expect(await shown("--tenant", "Northwind")).toEqual([ofDeleted, other]);
    expect(await shown("--endpoint", idOf("we", live))).toEqual([second, first]);
    expect(await shown("--since", new Date(Date.now() + 60_000).toISOString())).toEqual([]);
    expect((await run("dead", "--limit", "1")).out).toEqual([
      `${ofDeleted}  2026-03-02T15:00:00.000Z  Northwind Test  payment_order.completed  503  https://hooks.example/Test`,
      "only the newest 1 are shown: --limit shows more",
    ]);
  });

  it.each([
    [["--endpoint", "wh_1"], "--endpoint: wh_1 is not an endpoint's id"],
    [["--since", "yesterday"], "--since must be a date or a time"],
    [["--limit", "0"], "--limit must be a number from 1 to 10000"],
  ])("refuses %j", async (args, message) => {
    const { code, error } = await run("dead", ...args);
    expect([code, error.startsWith(message)]).toEqual([2, true]);
  });
});
