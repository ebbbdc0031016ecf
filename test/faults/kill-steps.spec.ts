import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../stack/until.ts";
import { OwnWorld } from "../world/own-world.ts";
import { Backend } from "./backend.ts";
import { Bursts } from "./bursts.ts";
import { RandomFaults } from "./random-faults.ts";
import { provenOrders } from "./evidence.ts";
import { count, holding, waitsForLock } from "./locks.ts";
import { openAccounts, type PlannedOrder, planOrders } from "./plan.ts";

const ordersPerKill = 24;
const ordersPerSecond = 120;
/** Longer than a batch takes, so that random kills after a burst hit every step of a batch over time. */
const maxBatchMs = 150;
const randomKills = 7;

/** Locks that stop the ledger at the start of the named step. */
const stops: Readonly<Record<string, string>> = {
  "waits for the head of its book, nothing written": "select 1 from ledger.book_head for update",
  "entries written, their headers not": "lock table ledger.journal in share mode",
  "journals written, their messages not": "lock table ledger.outbox in share mode",
};

const kills = Object.keys(stops).length + 1 + randomKills;

describe("the ledger killed at every step of a batch", () => {
  let world: OwnWorld;
  let random: RandomFaults;
  let backend: Backend;
  let orders: PlannedOrder[];
  let bursts: Bursts;
  beforeAll(async () => {
    world = await OwnWorld.start();
    random = RandomFaults.of("kill-steps");
    backend = new Backend(world, random);
    orders = planOrders(kills * ordersPerKill, await openAccounts(world), random);
    bursts = new Bursts(backend, orders, ordersPerKill, ordersPerSecond);
  });
  afterAll(() => world.stop());

  it.each(Object.entries(stops))("%s", async (_step, lock) => {
    await holding(world, lock, async () => {
      bursts.send();
      expect(await waitsForLock(world, "ledger")).toBeGreaterThan(0);
      await world.kill(world.instanceOf("ledger"));
    });
    await world.replace(world.instanceOf("ledger"));
  });

  it("committed, nothing acknowledged and nothing published", async () => {
    const outcomes = () => count(world, "select count(*)::int as count from ledger.command");
    let before = 0;
    await holding(world, stops["waits for the head of its book, nothing written"] ?? "", async () => {
      before = await outcomes();
      bursts.send();
      await waitsForLock(world, "ledger");
      // The ledger can't publish after its commit.
      world.loseNats();
    });
    const committed = await until("the commit", async () => {
      const now = await outcomes();
      return now > before ? now - before : undefined;
    });
    expect(committed).toBeLessThanOrEqual(500);
    await world.kill(world.instanceOf("ledger"));
    await world.regainNats();
    await world.replace(world.instanceOf("ledger"));
  });

  it("at random moments", async () => {
    for (let kill = 0; kill < randomKills; kill += 1) {
      bursts.send();
      await delay(random.between(0, maxBatchMs));
      await world.kill(world.instanceOf("ledger"));
      await world.replace(world.instanceOf("ledger"));
    }
    expect(bursts.count).toBe(kills);
  });

  it("loses nothing, repeats nothing and skips no number", async () => {
    await bursts.accepted();
    expect(await provenOrders(world, orders, backend)).toBe(orders.length);
  });
});
