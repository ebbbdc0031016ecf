import { jetstream } from "@nats-io/jetstream";
import { expect, it, vi } from "vitest";
import { bookIdOf, newId, type PaymentOrderId } from "../../contracts/ids/ids.ts";
import type { AnyMessage } from "../../contracts/message.ts";
import { GetOrder } from "../../contracts/messages/orders.ts";
import { SimulateInstruction, SubmitInstruction } from "../../contracts/messages/rails.ts";
import type { Rail } from "../../contracts/rails/rails.ts";
import { anOrder } from "../../test/stack/orders/an-order.ts";
import { forThisFile } from "../../test/stack/for-this-file.ts";
import { patienceMs } from "../../test/stack/until.ts";
import { railEventKind, submissionOf, testEncryptionKeys } from "../../test/stack/services/rails.ts";
import { createDatabase } from "../../test/stack/servers/database.ts";
import { startMessaging } from "../../test/stack/servers/messaging.ts";
import { streamsApi } from "../platform/nats/connection.ts";
import { readConfig } from "../platform/process/config.ts";
import { startService } from "../platform/run-service.ts";
import { railsConfig } from "./config.ts";
import { RailsSimulatorModule } from "./rails-simulator.module.ts";

// The whole service, with the test in place of orders and the gateway.
const tenant = newId("ten");
const book = bookIdOf(tenant, "Test");

const received: AnyMessage[] = [];

const [messaging, database] = await Promise.all([
  forThisFile(startMessaging()),
  forThisFile(createDatabase("rails")),
]);
const [orders, gateway] = [await messaging.connectAs("orders"), await messaging.connectAs("gateway")];
await consumeAsOrders();
const environment = messaging.environment("rails", database.urlOf("rails"));
const config = readConfig(railsConfig, { ...environment, ENCRYPTION_KEYS: testEncryptionKeys });
await forThisFile(startService(RailsSimulatorModule.with(config), config, "rails"));

async function consumeAsOrders(): Promise<void> {
  const consumer = await jetstream(orders, { apiPrefix: streamsApi }).consumers.get("EVT", "orders");
  const messages = await consumer.consume();
  void (async () => {
    for await (const message of messages) {
      received.push(...message.json<{ messages: AnyMessage[] }>().messages);
      message.ack();
    }
  })();
}

async function handOff(rail: Rail, orderId: PaymentOrderId = newId("po")): Promise<PaymentOrderId> {
  const message = submissionOf(book, { orderId, rail });
  await jetstream(orders, { timeout: patienceMs }).publish(
    `${SubmitInstruction.subject}.p00`,
    JSON.stringify({ messages: [message] }),
  );
  return orderId;
}

const kindsOf = (orderId: PaymentOrderId) =>
  received.filter(({ subject }) => subject === orderId).map(({ type }) => railEventKind(type));
const waitForEventsOf = async (orderId: PaymentOrderId, count: number) => {
  await vi.waitUntil(() => kindsOf(orderId).length >= count, { timeout: patienceMs, interval: 10 });
  return kindsOf(orderId).sort();
};

it("settles payments on an instant rail and a slower one, and publishes that to orders", async () => {
  const [instant, slower] = [await handOff("Rtp"), await handOff("Ach")];
  expect(await waitForEventsOf(instant, 1)).toEqual(["settled"]);
  expect(await waitForEventsOf(slower, 2)).toEqual(["accepted", "settled"]);
});

it("reads the order from orders, stores the injection, and applies it at hand-off", async () => {
  const orderId = newId("po");
  const draft = anOrder({ id: orderId, status: "Draft", amountCents: 4_000 });
  const requests: unknown[] = [];
  const subscription = orders.subscribe(GetOrder.subject, {
    callback: (_error, message) => {
      requests.push(message.json());
      message.respond(JSON.stringify({ ok: true, value: draft }));
    },
  });
  await orders.flush();
  const caller = { book, tenant, mode: "Test", principal: "qa", requestId: "req_2" };
  const simulation = { orderId, action: "return", code: "R03" };
  const reply = await gateway.request(
    SimulateInstruction.subject,
    JSON.stringify({ caller, data: simulation }),
    { timeout: patienceMs },
  );
  expect(reply.json()).toEqual({
    ok: true,
    value: { paymentOrderId: orderId, action: "return", code: "R03", effect: "Kept" },
  });
  expect(requests).toMatchObject([{ caller, data: { id: orderId } }]);
  subscription.unsubscribe();
  await handOff("Ach", orderId);
  expect(await waitForEventsOf(orderId, 2)).toEqual(["accepted", "returned"]);
});
