import { setTimeout as delay } from "node:timers/promises";
import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OrderStatusChanged } from "../../contracts/messages/orders.ts";
import { until } from "../stack/until.ts";
import { natsAs } from "../world/system/operator.ts";
import { OwnWorld } from "../world/system/own-world.ts";
import { Backend } from "./load/backend.ts";
import { DuplicateDeliveries, shuffleBacklog } from "./inject/duplicate-deliveries.ts";
import { RandomFaults } from "./inject/random-faults.ts";
import { provenOrders } from "./evidence/evidence.ts";
import { type Accounts, openAccounts, type PlannedOrder, planOrders } from "./load/plan.ts";
import { waitForBacklog, waitForEmptyBacklogs } from "./inject/streams.ts";

const ordersPerPass = 160;
const ordersPerSecond = 40;
/** Services that consume several messages about one order, which may arrive in another order. */
const stopped = ["orders", "webhooks", "orders", "webhooks"] as const;
const minAccepted = 5;
const maxStopMs = 500;

describe("repeated and reordered messages", () => {
  let world: OwnWorld;
  let nats: NatsConnection;
  let accounts: Accounts;
  let backend: Backend;
  const random = RandomFaults.of("twice-and-shuffled");
  const sent: PlannedOrder[] = [];
  beforeAll(async () => {
    world = await OwnWorld.start();
    nats = await natsAs(world, "operator");
    accounts = await openAccounts(world);
    backend = new Backend(world, random);
  });
  afterAll(async () => {
    await nats.close();
    await world.stop();
  });

  function plan(name: string): PlannedOrder[] {
    const orders = planOrders(ordersPerPass, accounts, random, name);
    sent.push(...orders);
    return orders;
  }

  it("change nothing if they come again under the same ids", async () => {
    const duplicates = new DuplicateDeliveries(nats, random, { ids: "same", copies: () => true });
    await backend.sendAll(plan("same"), ordersPerSecond);
    expect(await provenOrders(world, sent, backend)).toBe(sent.length);
    await duplicates.stop();
    expect(duplicates.published).toBeGreaterThan(ordersPerPass * 10);
    await waitForEmptyBacklogs(nats);
    expect(await provenOrders(world, sent, backend)).toBe(sent.length);
  });

  it("change nothing if their data comes under new ids", async () => {
    // The public event id is the message id, so a status change under a new id may be delivered again.
    const copies = (subject: string) => !subject.startsWith(OrderStatusChanged.subject);
    const duplicates = new DuplicateDeliveries(nats, random, { ids: "fresh", copies });
    await backend.sendAll(plan("fresh"), ordersPerSecond);
    expect(await provenOrders(world, sent, backend)).toBe(sent.length);
    await duplicates.stop();
    expect(duplicates.published).toBeGreaterThan(ordersPerPass * 6);
    await waitForEmptyBacklogs(nats);
    expect(await provenOrders(world, sent, backend)).toBe(sent.length);
  });

  it("end all orders correctly, whatever their order", async () => {
    const orders = plan("shuffled");
    const share = orders.length / stopped.length;
    let shuffled = 0;
    for (const [round, service] of stopped.entries()) {
      const before = backend.accepted;
      const flow = backend.sendAll(orders.slice(round * share, (round + 1) * share), ordersPerSecond);
      await until("some accepted orders", () => backend.accepted >= before + minAccepted);
      // The rails have accepted some orders, and have not published all their events.
      await delay(random.between(0, maxStopMs));
      const instance = world.instanceOf(service);
      await instance.child.stop();
      await waitForBacklog(nats, service);
      shuffled += await shuffleBacklog(nats, service, random);
      await world.replace(instance);
      await flow;
    }
    expect(shuffled).toBeGreaterThan(ordersPerPass);
    expect(await provenOrders(world, sent, backend)).toBe(sent.length);
  });
});
