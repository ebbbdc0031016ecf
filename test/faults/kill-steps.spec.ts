import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../stack/until.ts";
import { World } from "../world/world.ts";
import { Backend } from "./backend.ts";
import { Dice } from "./dice.ts";
import { provenOrders } from "./evidence.ts";
import { openAccounts, type PlannedOrder, planOrders } from "./plan.ts";

const ordersPerKill = 24;
const ordersPerSecond = 120;
/** A batch is over in less: a kill within that long after a burst meets every step of it sooner or later. */
const longestBatchMs = 150;
const randomKills = 7;

/** Where the ledger stands when it can't get past a lock: the step that is named has just begun. */
const stops: Readonly<Record<string, string>> = {
  "pulled, nothing written": "lock table ledger.inbox in share mode",
  "waits for the head of its book": "select 1 from ledger.book_head for update",
  "entries written, their headers not": "lock table ledger.journal in share mode",
  "journals written, their messages not": "lock table ledger.outbox in share mode",
};

const kills = Object.keys(stops).length + 1 + randomKills;

describe("the ledger killed at every step of a batch", () => {
  let world: World;
  let dice: Dice;
  let backend: Backend;
  let orders: PlannedOrder[];
  const bursts: Promise<void>[] = [];
  beforeAll(async () => {
    world = await World.start();
    dice = Dice.of("kill-steps");
    backend = new Backend(world, dice);
    orders = planOrders(kills * ordersPerKill, await openAccounts(world), dice);
  });
  afterAll(() => world.stop());

  /** The next orders of the plan, on their way. */
  function burst(): void {
    const from = bursts.length * ordersPerKill;
    const sent = backend.sendAll(orders.slice(from, from + ordersPerKill), ordersPerSecond);
    bursts.push(sent);
    // The last test waits for all of them, and fails with the first that failed.
    sent.catch(() => undefined);
  }

  it.each(Object.entries(stops))("%s", async (_step, lock) => {
    await holding(world, lock, async () => {
      burst();
      expect(await ledgerWaits(world)).toBeGreaterThan(0);
      await world.kill(world.instanceOf("ledger"));
    });
    await world.replace(world.instanceOf("ledger"));
  });

  it("committed, nothing acknowledged and nothing published", async () => {
    const outcomes = () => count(world, "select count(*)::int as count from ledger.command");
    let before = 0;
    await holding(world, stops["waits for the head of its book"] ?? "", async () => {
      before = await outcomes();
      burst();
      await ledgerWaits(world);
      // What the ledger would say after its commit finds nobody.
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

  it("at whatever moment the dice say", async () => {
    for (let kill = 0; kill < randomKills; kill += 1) {
      burst();
      await delay(dice.between(0, longestBatchMs));
      await world.kill(world.instanceOf("ledger"));
      await world.replace(world.instanceOf("ledger"));
    }
    expect(bursts.length).toBe(kills);
  });

  it("and nothing is lost, nothing is twice, no number is missing", async () => {
    await Promise.all(bursts);
    expect(await provenOrders(world, orders, backend)).toBe(orders.length);
  });
});

/** Runs `during` while another session holds a lock in the ledger's way, and lets go in the end. */
async function holding(world: World, lock: string, during: () => Promise<void>): Promise<void> {
  const session = new pg.Client(world.system.adminUrl);
  await session.connect();
  try {
    await session.query("begin");
    await session.query(lock);
    await during();
  } finally {
    await session.end();
  }
}

/** Until a session of the ledger waits for a lock. */
function ledgerWaits(world: World): Promise<number> {
  return until("the ledger at its lock", async () => {
    const waiting = await count(
      world,
      `select count(*)::int as count
       from pg_stat_activity
       where datname = current_database()
         and usename = 'ledger'
         and wait_event_type = 'Lock'`,
    );
    return waiting > 0 ? waiting : undefined;
  });
}

async function count(world: World, sql: string): Promise<number> {
  const [row] = await world.rows<{ count: number }>(sql);
  return row?.count ?? 0;
}
