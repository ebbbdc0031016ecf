import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { services } from "../../contracts/message.ts";
import { until } from "../stack/until.ts";
import { OwnWorld } from "../world/system/own-world.ts";
import { Backend } from "./load/backend.ts";
import { RandomFaults } from "./inject/random-faults.ts";
import { provenOrders } from "./evidence/evidence.ts";
import { openAccounts, planOrders } from "./load/plan.ts";

const orderCount = 500;
const ordersPerSecond = 25;

describe("each service killed in turn while orders flow", () => {
  let world: OwnWorld;
  beforeAll(async () => {
    world = await OwnWorld.start();
  });
  afterAll(() => world.stop());

  it("ends every order once, and delivers every event", async () => {
    const random = RandomFaults.of("kill-one");
    const orders = planOrders(orderCount, await openAccounts(world), random);
    const backend = new Backend(world, random);
    const flow = backend.sendAll(orders, ordersPerSecond);
    const share = orderCount / (services.length + 1);
    for (const [turn, service] of random.shuffled(services).entries()) {
      // Waits for a share of the orders, so that the kill hits the flow on any machine.
      await Promise.race([
        flow,
        until("orders under way", () => (backend.accepted >= share * (turn + 0.5) ? true : undefined)),
      ]);
      await world.killAndReplace(world.instanceOf(service));
    }
    await flow;
    // Requests whose responses were lost had been carried out, and were not carried out again.
    expect(backend.replayed).toBeGreaterThan(orderCount / 20);
    expect(await provenOrders(world, orders, backend)).toBe(orderCount);
  });
});
