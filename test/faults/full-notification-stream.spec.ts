import { jetstreamManager } from "@nats-io/jetstream";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { PaymentOrder } from "../../clients/typescript/types.gen.ts";
import { patienceMs, until } from "../stack/until.ts";
import { sendPatiently } from "../world/patience/patiently.ts";
import { usd } from "../world/usd.ts";
import { OwnWorld } from "../world/system/own-world.ts";
import { asOperator } from "./inject/streams.ts";

const orderCount = 100;
/** Room for a third of the orders' events, and for one whole envelope of the poller. */
const capBytes = 120_000;

let world: OwnWorld;
beforeAll(async () => {
  world = await OwnWorld.start();
});
afterAll(() => world.stop());

const notificationStream = () =>
  asOperator(world, async (nats) =>
    (await jetstreamManager(nats, { timeout: patienceMs })).streams.info("NTF"),
  );
const completed = async () => {
  const [row] = await world.rows<{ count: number }>(
    "select count(*)::int as count from orders.payment_order where status = 'Completed'",
  );
  return row?.count ?? 0;
};
const waiting = async () => {
  const [row] = await world.rows<{ count: number }>(
    `select coalesce(sum(message_count), 0)::int as count
     from orders.outbox
     where published_at is null and subject like 'ntf.%'`,
  );
  return row?.count ?? 0;
};

it("moves money while webhooks is down and its stream is full, and delivers every event once webhooks is back", async () => {
  const payer = await world.payerWith(usd("1000.00"));
  const before = await completed();
  await asOperator(world, async (nats) => {
    const { streams } = await jetstreamManager(nats, { timeout: patienceMs });
    const { config } = await streams.info("NTF");
    await streams.update("NTF", { ...config, max_bytes: capBytes });
  });
  const webhooks = world.instanceOf("webhooks");
  await world.kill(webhooks);

  const pay = async () => {
    const body = payer.body(usd("1.00"));
    const { maker } = world.tenant.keys;
    return (await sendPatiently<PaymentOrder>(world, maker, "POST", "/v1/payment-orders", { body })).body;
  };
  const orders = await Promise.all(Array.from({ length: orderCount }, pay));
  await until("every order completes", async () => (await completed()) === before + orderCount);
  expect((await notificationStream()).state.bytes).toBeLessThanOrEqual(capBytes);
  expect(await waiting()).toBeGreaterThan(0);

  await world.replace(webhooks);
  const statusesOf = ({ id }: PaymentOrder) => world.receiver.eventsOf(id).map(({ data }) => data.status);
  await until("every event arrives", () => orders.every((order) => statusesOf(order).includes("Completed")));
  expect(orders.map((order) => statusesOf(order))).toEqual(
    orders.map(() => statusesOf(orders[0] as PaymentOrder)),
  );
  await until("the outbox is empty", async () => (await waiting()) === 0);
});
