import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../stack/until.ts";
import { World } from "../world/world.ts";
import { Backend } from "./backend.ts";
import { Dice } from "./dice.ts";
import { provenOrders } from "./evidence.ts";
import { openAccounts, type PlannedOrder, planOrders } from "./plan.ts";

const outageMs = 60_000;
const beforeMs = 3_000;
const afterMs = 4_000;
const ordersPerSecond = 8;
const orderCount = ((beforeMs + outageMs + afterMs) / 1_000) * ordersPerSecond;

interface Outage {
  readonly world: World;
  readonly orders: PlannedOrder[];
  readonly backend: Backend;
}

// Each server is away for its minute at the same time as the other, in a world of its own.
describe.concurrent("a server away for a minute, under load", () => {
  const dice = Dice.of("outage");
  let nats: Outage;
  let postgres: Outage;
  beforeAll(async () => {
    const worlds = await Promise.all([World.start(), World.start({ ownPostgres: true })]);
    nats = await prepare(worlds[0], "nats");
    postgres = await prepare(worlds[1], "postgres");
  });
  afterAll(async () => {
    await nats?.world.stop();
    await postgres?.world.stop();
  });

  async function prepare(world: World, name: string): Promise<Outage> {
    const orders = planOrders(orderCount, await openAccounts(world), dice, name);
    return { world, orders, backend: new Backend(world, dice, outageMs + 60_000) };
  }

  it("NATS: callers are told to come again, and nothing is lost or dead-lettered", async () => {
    const { world } = nats;
    const rested = await survive(
      nats,
      () => world.loseNats(),
      () => world.regainNats(),
      "nats",
    );
    expect(rested).toBe(orderCount);
  });

  it("Postgres: callers are told to come again, and nothing is lost or dead-lettered", async () => {
    const { world } = postgres;
    const rested = await survive(
      postgres,
      () => world.losePostgres(),
      () => world.regainPostgres(),
      "database",
    );
    expect(rested).toBe(orderCount);
  });
});

async function survive(
  { world, orders, backend }: Outage,
  lose: () => void,
  regain: () => Promise<void>,
  missing: string,
): Promise<number> {
  const flow = backend.sendAll(orders, ordersPerSecond);
  await delay(beforeMs);
  lose();
  const regained = delay(outageMs).then(regain);
  await until("services that say what they miss", () => allSay(world, 503, missing), outageMs / 2);
  expect(await alive(world)).toEqual(world.instances.map(() => 200));
  await regained;
  await until("services that are ready again", () => allSay(world, 200), 20_000);
  await flow;
  // Callers were refused for as long as it lasted, each time in words that say what to do.
  const { service_unavailable, upstream_timeout } = backend.retries;
  expect(service_unavailable + upstream_timeout).toBeGreaterThan(outageMs / 1_000);
  return provenOrders(world, orders, backend, 90_000);
}

/** Readiness of every instance: true when all answer so, and name what is missing. */
async function allSay(world: World, status: number, missing?: string): Promise<true | undefined> {
  const answers = await Promise.all(
    world.instances.map(async ({ operationsUrl }) => {
      const response = await fetch(`${operationsUrl}/readyz`);
      const text = await response.text();
      return response.status === status && (missing === undefined || text.includes(`"${missing}"`));
    }),
  );
  return answers.every(Boolean) ? true : undefined;
}

/** An outage of a server is no reason to restart a service. */
function alive(world: World): Promise<number[]> {
  return Promise.all(
    world.instances.map(async ({ operationsUrl }) => (await fetch(`${operationsUrl}/healthz`)).status),
  );
}
