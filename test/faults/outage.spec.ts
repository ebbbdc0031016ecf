import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../stack/until.ts";
import { OwnWorld } from "../world/system/own-world.ts";
import { Backend } from "./load/backend.ts";
import { RandomFaults } from "./inject/random-faults.ts";
import { provenOrders } from "./evidence/evidence.ts";
import { openAccounts, type PlannedOrder, planOrders } from "./load/plan.ts";

const outageMs = 60_000;
const beforeMs = 3_000;
const afterMs = 4_000;
/** How long a busy machine may take to recover. A longer wait hides nothing: what is lost never comes back. */
const recoveryMs = 180_000;
const ordersPerSecond = 8;
const orderCount = ((beforeMs + outageMs + afterMs) / 1_000) * ordersPerSecond;

interface Outage {
  readonly world: OwnWorld;
  readonly orders: PlannedOrder[];
  readonly backend: Backend;
}

// Both outages run at the same time, each in its own world. They take two and a half minutes on two quiet cores.
describe.concurrent("a server that is down for a minute, under load", { timeout: 600_000 }, () => {
  const random = RandomFaults.of("outage");
  let nats: Outage;
  let postgres: Outage;
  beforeAll(async () => {
    const worlds = await Promise.all([OwnWorld.start(), OwnWorld.start({ ownPostgres: true })]);
    nats = await prepare(worlds[0], "nats");
    postgres = await prepare(worlds[1], "postgres");
  });
  afterAll(async () => {
    await nats?.world.stop();
    await postgres?.world.stop();
  });

  async function prepare(world: OwnWorld, name: string): Promise<Outage> {
    const orders = planOrders(orderCount, await openAccounts(world), random, name);
    return { world, orders, backend: new Backend(world, random, outageMs + recoveryMs) };
  }

  it("NATS: callers get retryable errors, and nothing is lost or dead-lettered", async () => {
    const { world } = nats;
    const proven = await survive(
      nats,
      () => world.loseNats(),
      () => world.regainNats(),
      "nats",
    );
    expect(proven).toBe(orderCount);
  });

  it("Postgres: callers get retryable errors, and nothing is lost or dead-lettered", async () => {
    const { world } = postgres;
    const proven = await survive(
      postgres,
      () => world.losePostgres(),
      () => world.regainPostgres(),
      "database",
    );
    expect(proven).toBe(orderCount);
  });
});

async function survive(
  { world, orders, backend }: Outage,
  lose: () => void,
  regain: () => Promise<void>,
  missing: string,
): Promise<number> {
  const flow = backend.sendAll(orders, ordersPerSecond);
  flow.catch(() => undefined); // it is awaited below
  await delay(beforeMs);
  lose();
  const regained = delay(outageMs).then(regain);
  await until("services that report the missing server", () => allAnswer(world, 503, missing), outageMs / 2);
  expect(await alive(world)).toEqual(world.instances.map(() => 200));
  await regained;
  await until("services that are ready again", () => allAnswer(world, 200), recoveryMs);
  await flow;
  // Callers got retryable errors during the whole outage.
  const { service_unavailable, upstream_timeout } = backend.retries;
  expect(service_unavailable + upstream_timeout).toBeGreaterThan(outageMs / 1_000);
  return provenOrders(world, orders, backend, recoveryMs);
}

/** True if every instance answers readiness with this status and names the missing server. */
async function allAnswer(world: OwnWorld, status: number, missing?: string): Promise<true | undefined> {
  const answers = await Promise.all(
    world.instances.map(async ({ operationsUrl }) => {
      const response = await fetch(`${operationsUrl}/readyz`);
      const text = await response.text();
      return response.status === status && (missing === undefined || text.includes(`"${missing}"`));
    }),
  );
  return answers.every(Boolean) ? true : undefined;
}

/** Liveness of every instance: an outage of a server must not restart a service. */
function alive(world: OwnWorld): Promise<number[]> {
  return Promise.all(
    world.instances.map(async ({ operationsUrl }) => (await fetch(`${operationsUrl}/healthz`)).status),
  );
}
