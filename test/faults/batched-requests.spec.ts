import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../stack/until.ts";
import { OwnWorld } from "../world/system/own-world.ts";
import { Backend } from "./load/backend.ts";
import { Bursts } from "./load/bursts.ts";
import { provenOrders } from "./evidence/evidence.ts";
import { count, holding, sessionsAtLock, waitsForLock } from "./inject/locks.ts";
import { openAccounts, type PlannedOrder, planOrders } from "./load/plan.ts";
import { RandomFaults } from "./inject/random-faults.ts";

/** More than one batch holds. */
const ordersPerKill = 48;
/** All at once, so that they travel together. */
const ordersPerSecond = 10_000;

/** Orders that have not ended, and messages whose publication is not yet recorded. */
const underWay = `
  select (
    (select count(*) from orders.payment_order where due_at is not null)
    + (select count(*) from orders.outbox where published_at is null)
  )::int as count`;

/** The tables whose lock stops orders at the start of the named step. */
const stops = {
  "their orders not yet written": "payment_order",
  "their orders written, the messages not": "outbox",
} as const;
const lockOf = (table: string) => `lock table orders.${table} in share mode`;
/** Bursts for the last step: a pause longer than the creates' deadline prevents its commit. */
const tries = 3;
const commitWithinMs = 10_000;
const maxBursts = Object.keys(stops).length + tries;

describe("orders killed between a batch of requests and its replies", () => {
  let world: OwnWorld;
  let backend: Backend;
  let orders: PlannedOrder[];
  let bursts: Bursts;
  beforeAll(async () => {
    world = await OwnWorld.start();
    const random = RandomFaults.of("batched-requests");
    backend = new Backend(world, random);
    orders = planOrders(maxBursts * ordersPerKill, await openAccounts(world), random);
    bursts = new Bursts(backend, orders, ordersPerKill, ordersPerSecond);
  });
  afterAll(() => world.stop());

  const stored = () => count(world, "select count(*)::int as count from orders.payment_order");

  /** Sends a burst whose replies are lost. Returns how many committed; undefined if their deadline came first. */
  const commitWithoutReply = async () => {
    // Then nothing but a create can write a message.
    await until("the earlier orders' ends", async () => (await count(world, underWay)) === 0);
    const before = await stored();
    await holding(world, lockOf("outbox"), async () => {
      bursts.send();
      // The first create travels alone, and the others together behind it: two sessions. After a pause, which ends
      // their first tries, all of them may travel together.
      const givesUpAt = Date.now() + commitWithinMs;
      await until("orders at its lock", async () => {
        const waiting = await sessionsAtLock(world, "orders", "insert into outbox");
        return waiting >= 2 || Date.now() > givesUpAt;
      });
      // Orders can't reply after its commit.
      world.loseNats();
    });
    const endsAt = Date.now() + commitWithinMs;
    // The lone create commits alone, before the others or after them.
    const seen = await until("the commit of the others", async () => {
      const committed = (await stored()) - before;
      if (committed > 1) return { committed };
      return Date.now() > endsAt && { committed: undefined };
    });
    return seen.committed;
  };

  it.each(Object.entries(stops))("%s", async (_step, table) => {
    await holding(world, lockOf(table), async () => {
      bursts.send();
      expect(await waitsForLock(world, "orders", `insert into ${table}`)).toBeGreaterThan(0);
      await world.kill(world.instanceOf("orders"));
    });
    await world.replace(world.instanceOf("orders"));
  });

  it("committed, and no reply sent", async () => {
    let committed: number | undefined;
    for (let burst = 0; burst < tries && committed === undefined; burst += 1) {
      await bursts.accepted();
      committed = await commitWithoutReply();
      if (committed === undefined) await world.regainNats();
    }
    expect(committed).toBeGreaterThan(1);
    expect(committed).toBeLessThanOrEqual(ordersPerKill);
    await world.kill(world.instanceOf("orders"));
    await world.regainNats();
    await world.replace(world.instanceOf("orders"));
  });

  it("creates each order once, and each caller gets its own order by its key", async () => {
    await bursts.accepted();
    expect(backend.retries.service_unavailable + backend.retries.unanswered).toBeGreaterThan(0);
    expect(backend.replayed).toBeGreaterThan(0);
    const sent = orders.slice(0, bursts.count * ordersPerKill);
    expect(await provenOrders(world, sent, backend)).toBe(sent.length);
  });
});
