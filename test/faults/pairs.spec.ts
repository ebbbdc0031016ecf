import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { idOf } from "../../contracts/ids/ids.ts";
import type { Service } from "../../contracts/message.ts";
import { call } from "../../scripts/local/api.ts";
import { issueAnotherKey } from "../world/operator.ts";
import { until } from "../stack/until.ts";
import { World } from "../world/world.ts";
import { Backend } from "./backend.ts";
import { Dice } from "./dice.ts";
import { provenOrders } from "./evidence.ts";
import { openAccounts, planOrders } from "./plan.ts";

const orderCount = 300;
const ordersPerSecond = 60;

describe("two instances of every service", () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start({ instances: 2 });
  });
  afterAll(() => world.stop());

  it("share the work of both gateways without doing any of it twice", async () => {
    const dice = Dice.of("pairs");
    const orders = planOrders(orderCount, await openAccounts(world), dice);
    const backend = new Backend(world, dice);
    await backend.sendAll(orders, ordersPerSecond);
    // Asked of one gateway and, before it had answered, of the other.
    expect(backend.replayed).toBeGreaterThan(orderCount / 20);
    expect(await provenOrders(world, orders, backend)).toBe(orderCount);
    // The test would prove little if one of each pair had slept.
    for (const service of ["orders", "ledger", "rails", "webhooks"] as const) {
      expect(await idle(world, service)).toEqual([]);
    }
  });

  it("forget a revoked key within a second, both of them", async () => {
    const key = await issueAnotherKey(world, { principal: "leaver", mode: "Test", scopes: ["orders:read"] });
    const [row] = await world.rows<{ id: string }>(
      "select id::text as id from gateway.api_key where principal = 'leaver'",
    );
    const knock = () =>
      Promise.all(
        world
          .instancesOf("gateway")
          .map(
            async ({ url }) => (await call(url, { method: "GET", path: "/v1/payment-orders", key })).status,
          ),
      );
    expect(await knock()).toEqual([200, 200]);
    await operator(world, "revoke-key", idOf("key", row?.id ?? ""));
    const revokedAt = performance.now();
    // Asked all the while, so that each remembers the key for as long as it may.
    await until("both to refuse", async () =>
      (await knock()).every((status) => status === 401) ? true : undefined,
    );
    // What is remembered lasts a second at most; the rest is what asking takes on a busy machine.
    expect(performance.now() - revokedAt).toBeLessThan(1_500);
  });
});

/** The operator's command line, on this world's database. */
async function operator(world: World, ...args: string[]): Promise<void> {
  const root = join(import.meta.dirname, "../..");
  const env = { PATH: process.env["PATH"], DATABASE_URL: world.system.adminUrl };
  await promisify(execFile)(process.execPath, [join(root, "scripts/operator/tenants.ts"), ...args], {
    env,
    cwd: root,
  });
}

/** Instances that took no message in. */
async function idle(world: World, service: Service): Promise<string[]> {
  const sleeping: string[] = [];
  for (const { operationsUrl } of world.instancesOf(service)) {
    const metrics = await (await fetch(`${operationsUrl}/metrics`)).text();
    if (!/quittance_consumer_messages_total\{[^}]*outcome="applied"[^}]*\} [1-9]/.test(metrics))
      sleeping.push(operationsUrl);
  }
  return sleeping;
}
