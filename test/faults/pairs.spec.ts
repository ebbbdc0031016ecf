import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { idOf } from "../../contracts/ids/ids.ts";
import type { Service } from "../../contracts/message.ts";
import { call } from "../../scripts/local/demo/api.ts";
import { issueAnotherKey } from "../world/system/operator.ts";
import { until } from "../stack/until.ts";
import { OwnWorld } from "../world/system/own-world.ts";
import { Backend } from "./load/backend.ts";
import { RandomFaults } from "./inject/random-faults.ts";
import { provenOrders } from "./evidence/evidence.ts";
import { leastOf } from "../stack/least-of.ts";
import { openAccounts, planOrders } from "./load/plan.ts";

const orderCount = 300;
const ordersPerSecond = 60;

describe("two instances of every service", () => {
  let world: OwnWorld;
  beforeAll(async () => {
    world = await OwnWorld.start({ instances: 2 });
  });
  afterAll(() => world.stop());

  it("share the requests of both gateways and carry out each once", async () => {
    const random = RandomFaults.of("pairs");
    const orders = planOrders(orderCount, await openAccounts(world), random);
    const backend = new Backend(world, random);
    await backend.sendAll(orders, ordersPerSecond);
    // Requests that were sent to one gateway and, before it responded, to the other.
    expect(backend.replayed).toBeGreaterThan(orderCount / 20);
    expect(await provenOrders(world, orders, backend)).toBe(orderCount);
    // Otherwise one of each pair might have been idle.
    for (const service of ["orders", "ledger", "rails", "webhooks"] as const) {
      expect(await idle(world, service)).toEqual([]);
    }
  });

  it("both refuse a revoked key within a second", async () => {
    // The cache lasts one second; the rest allows for a slow machine's look-up that the revocation overtook.
    const maxMs = 5_000;
    const acceptedMs = (time: number) => acceptedAfterRevocation(world, `leaver ${String(time)}`);
    expect(await leastOf(maxMs, acceptedMs)).toBeLessThan(maxMs);
  });
});

/** Revokes a new key. Returns how long a gateway still accepted it, in ms. */
async function acceptedAfterRevocation(world: OwnWorld, principal: string): Promise<number> {
  const key = await issueAnotherKey(world, { principal, mode: "Test", scopes: ["orders:read"] });
  const [row] = await world.rows<{ id: string }>(
    "select id::text as id from gateway.api_key where principal = $1",
    [principal],
  );
  const statuses = () =>
    Promise.all(
      world
        .instancesOf("gateway")
        .map(async ({ url }) => (await call(url, { method: "GET", path: "/v1/payment-orders", key })).status),
    );
  await until("both to accept", async () => (await statuses()).every((status) => status === 200));
  await operator(world, "revoke-key", idOf("key", row?.id ?? ""), "--by", "ada");
  const revokedAt = performance.now();
  let lastAcceptedAt = revokedAt;
  // Polled all the time, so that each gateway caches the key as long as it may.
  await until("both to refuse", async () => {
    const sentAt = performance.now();
    if ((await statuses()).every((status) => status === 401)) return true;
    lastAcceptedAt = sentAt;
    return undefined;
  });
  return lastAcceptedAt - revokedAt;
}

/** Runs the operator's command line on this world's database. */
async function operator(world: OwnWorld, ...args: string[]): Promise<void> {
  const root = join(import.meta.dirname, "../..");
  const env = { PATH: process.env["PATH"], DATABASE_URL: world.system.adminUrl };
  await promisify(execFile)(process.execPath, [join(root, "scripts/operator/tenants.ts"), ...args], {
    env,
    cwd: root,
  });
}

/** Instances that consumed no message. */
async function idle(world: OwnWorld, service: Service): Promise<string[]> {
  const sleeping: string[] = [];
  for (const { operationsUrl } of world.instancesOf(service)) {
    const metrics = await (await fetch(`${operationsUrl}/metrics`)).text();
    if (!/quittance_consumer_messages_total\{[^}]*outcome="applied"[^}]*\} [1-9]/.test(metrics))
      sleeping.push(operationsUrl);
  }
  return sleeping;
}
