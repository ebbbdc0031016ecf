import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { services } from "../../contracts/message.ts";
import { World } from "../world/world.ts";
import { Backend } from "./backend.ts";
import { Dice } from "./dice.ts";
import { proveAll } from "./evidence.ts";
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
    const backend = new Backend(world);
    await backend.sendAll(orders, ordersPerSecond);
    await proveAll(world, orders, backend);
    // The test would prove little if one of each pair had slept.
    for (const service of services) {
      if (service !== "gateway") expect(await idle(world, service)).toEqual([]);
    }
  });
});

/** Instances that took no fact in. */
async function idle(world: World, service: (typeof services)[number]): Promise<string[]> {
  const sleeping: string[] = [];
  for (const { url } of world.instancesOf(service)) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    if (!/consumer_facts_total\{[^}]*outcome="applied"[^}]*\} [1-9]/.test(metrics)) sleeping.push(url);
  }
  return sleeping;
}
