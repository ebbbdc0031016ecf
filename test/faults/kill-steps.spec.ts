import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../stack/until.ts";
import { OwnWorld } from "../world/system/own-world.ts";
import { Backend } from "./load/backend.ts";
import { Bursts } from "./load/bursts.ts";
import { RandomFaults } from "./inject/random-faults.ts";
import { provenOrders } from "./evidence/evidence.ts";
import { count, holding, waitsForLock } from "./inject/locks.ts";
import { openAccounts, type PlannedOrder, planOrders } from "./load/plan.ts";

const ordersPerKill = 24;
const ordersPerSecond = 120;
/** Longer than a batch takes, so that random kills after a burst hit every step of a batch over time. */
const maxBatchMs = 150;
const randomKills = 7;

/** Locks that stop the ledger at the start of the named step, and its statement that waits for each. */
const stops = {
  "waits for the head of its book, nothing written": {
    lock: "select 1 from ledger.book_head for update",
    statement: "lock_books",
  },
  "entries written, their headers not": {
    lock: "lock table ledger.journal in share mode",
    statement: "insert into journal",
  },
  "journals written, their messages not": {
    lock: "lock table ledger.outbox in share mode",
    statement: "insert into outbox",
  },
} as const;

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

  it.each(Object.entries(stops))("%s", async (_step, { lock, statement }) => {
    await holding(world, lock, async () => {
      bursts.send();
      expect(await waitsForLock(world, "ledger", statement)).toBeGreaterThan(0);
      await world.kill(world.instanceOf("ledger"));
    });
    await world.replace(world.instanceOf("ledger"));
  });

  it("committed, nothing acknowledged and nothing published", async () => {
    const outcomes = () => count(world, "select count(*)::int as count from ledger.command");
    let before = 0;
    const { lock, statement } = stops["waits for the head of its book, nothing written"];
    await holding(world, lock, async () => {
      before = await outcomes();
      bursts.send();
      await waitsForLock(world, "ledger", statement);
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
