import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { services } from "../../contracts/message.ts";
import { until } from "../stack/until.ts";
import { World } from "../world/world.ts";
import { Backend } from "./backend.ts";
import { Dice } from "./dice.ts";
import { provenOrders } from "./evidence.ts";
import { openAccounts, planOrders } from "./plan.ts";

const orderCount = 500;
const ordersPerSecond = 25;

describe("each service killed in turn while orders flow", () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  it("brings every order to rest, once, and tells every event", async () => {
    const dice = Dice.of("kill-one");
    const orders = planOrders(orderCount, await openAccounts(world), dice);
    const backend = new Backend(world, dice);
    const flow = backend.sendAll(orders, ordersPerSecond);
    const share = orderCount / (services.length + 1);
    for (const [turn, service] of dice.shuffled(services).entries()) {
      // A kill in the middle of the flow: by then so many orders are on their way, whatever the machine's speed.
      await Promise.race([
        flow,
        until(
          "orders under way",
          () => (backend.accepted >= share * (turn + 0.5) ? true : undefined),
          60_000,
        ),
      ]);
      await world.killAndReplace(world.instanceOf(service));
    }
    await flow;
    // Requests whose answers were lost had been done, and were not done again.
    expect(backend.replayed).toBeGreaterThan(orderCount / 20);
    expect(await provenOrders(world, orders, backend)).toBe(orderCount);
  });
});
