import { setTimeout as delay } from "node:timers/promises";
import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OrderStatusChanged } from "../../contracts/messages/orders.ts";
import { natsAs } from "../world/operator.ts";
import { World } from "../world/world.ts";
import { Backend } from "./backend.ts";
import { Copier, shuffleBacklog } from "./copier.ts";
import { Dice } from "./dice.ts";
import { provenOrders } from "./evidence.ts";
import { type Accounts, openAccounts, type PlannedOrder, planOrders } from "./plan.ts";
import { backlogAtRest, quiet } from "./streams.ts";

const ordersPerPass = 160;
const ordersPerSecond = 40;
/** Those who hear several messages about one order, and so may hear them in a wrong order. */
const stopped = ["orders", "webhooks", "orders", "webhooks"] as const;
const soonestStopMs = 250;
const latestStopMs = 750;

describe("every message twice and out of order", () => {
  let world: World;
  let nats: NatsConnection;
  let accounts: Accounts;
  let backend: Backend;
  const dice = Dice.of("twice-and-shuffled");
  const sent: PlannedOrder[] = [];
  beforeAll(async () => {
    world = await World.start();
    nats = await natsAs(world, "operator");
    accounts = await openAccounts(world);
    backend = new Backend(world, dice);
  });
  afterAll(async () => {
    await nats.close();
    await world.stop();
  });

  function plan(name: string): PlannedOrder[] {
    const orders = planOrders(ordersPerPass, accounts, dice, name);
    sent.push(...orders);
    return orders;
  }

  it("the same messages again do nothing", async () => {
    const copier = new Copier(nats, dice, { ids: "same", copies: () => true });
    await backend.sendAll(plan("same"), ordersPerSecond);
    expect(await provenOrders(world, sent, backend)).toBe(sent.length);
    await copier.stop();
    expect(copier.said).toBeGreaterThan(ordersPerPass * 10);
    await quiet(nats);
    expect(await provenOrders(world, sent, backend)).toBe(sent.length);
  });

  it("nor does what they say under ids that no inbox knows", async () => {
    // An event's public id is its message's: under another one it would be another event, and rightly told again.
    const copies = (subject: string) => !subject.startsWith(OrderStatusChanged.subject);
    const copier = new Copier(nats, dice, { ids: "fresh", copies });
    await backend.sendAll(plan("fresh"), ordersPerSecond);
    expect(await provenOrders(world, sent, backend)).toBe(sent.length);
    await copier.stop();
    expect(copier.said).toBeGreaterThan(ordersPerPass * 6);
    await quiet(nats);
    expect(await provenOrders(world, sent, backend)).toBe(sent.length);
  });

  it("and what was said last may come first", async () => {
    const orders = plan("shuffled");
    const share = orders.length / stopped.length;
    let shuffled = 0;
    for (const [round, service] of stopped.entries()) {
      const flow = backend.sendAll(orders.slice(round * share, (round + 1) * share), ordersPerSecond);
      // By then the rails have orders in hand, and have not said everything about them.
      await delay(dice.between(soonestStopMs, latestStopMs));
      const instance = world.instanceOf(service);
      await instance.child.stop();
      await backlogAtRest(nats, service);
      shuffled += await shuffleBacklog(nats, service, dice);
      await world.replace(instance);
      await flow;
    }
    expect(shuffled).toBeGreaterThan(ordersPerPass);
    expect(await provenOrders(world, sent, backend)).toBe(sent.length);
  });
});
