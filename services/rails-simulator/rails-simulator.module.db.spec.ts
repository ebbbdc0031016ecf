import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { bookIdOf, newId, type PaymentOrderId } from "../../contracts/ids/ids.ts";
import type { AnyMessage } from "../../contracts/message.ts";
import { GetOrder } from "../../contracts/messages/orders.ts";
import { SimulateInstruction, SubmitInstruction } from "../../contracts/messages/rails.ts";
import type { Rail } from "../../contracts/rails/rails.ts";
import { railEventKind, submissionOf, testEncryptionKeys } from "../../test/stack/rails.ts";
import { createDatabase, type TestDatabase } from "../../test/stack/servers/database.ts";
import { createTestBench, type TestBench } from "../../test/stack/servers/local-servers.ts";
import { connectNats } from "../platform/nats/connection.ts";
import { natsConfig } from "../platform/nats/nats-config.ts";
import { provisionStreams } from "../platform/nats/provision.ts";
import { readConfig } from "../platform/process/config.ts";
import { type RunningService, startService } from "../platform/run-service.ts";
import { railsConfig } from "./config.ts";
import { RailsSimulatorModule } from "./rails-simulator.module.ts";

// The whole service, with the test in place of orders and the gateway.
const password = "only-here";
const tenant = newId("ten");
const book = bookIdOf(tenant, "Test");

let bench: TestBench;
let database: TestDatabase;
let service: RunningService;
let orders: NatsConnection;
let gateway: NatsConnection;
const received: AnyMessage[] = [];

beforeAll(async () => {
  bench = await createTestBench();
  const [nats, created] = await Promise.all([
    bench.startNats(
      natsConfig({
        gateway: password,
        orders: password,
        ledger: password,
        rails: password,
        webhooks: password,
        operator: password,
      }),
    ),
    createDatabase("rails"),
  ]);
  database = created;
  const connectAs = (user: string) =>
    connectNats({ NATS_URL: nats.url, NATS_USER: user, NATS_PASSWORD: password });
  const operator = await connectAs("operator");
  await provisionStreams(operator, 1);
  await operator.close();
  orders = await connectAs("orders");
  gateway = await connectAs("gateway");
  await consumeAsOrders();
  const config = readConfig(railsConfig, {
    DATABASE_URL: database.urlOf("rails"),
    NATS_URL: nats.url,
    NATS_USER: "rails",
    NATS_PASSWORD: password,
    PORT: "0",
    LOG_LEVEL: "silent",
    ENCRYPTION_KEYS: testEncryptionKeys,
  });
  service = await startService(RailsSimulatorModule.with(config), config, "rails");
});

afterAll(async () => {
  await service.stop();
  await orders.close();
  await gateway.close();
  await bench.close();
  await database.drop();
});

async function consumeAsOrders(): Promise<void> {
  await jetstreamManager(orders, { checkAPI: false });
  const consumer = await jetstream(orders).consumers.get("EVT", "orders");
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
  await jetstream(orders).publish(
    `${SubmitInstruction.subject}.p00`,
    JSON.stringify({ messages: [message] }),
  );
  return orderId;
}

const kindsOf = (orderId: PaymentOrderId) =>
  received.filter(({ subject }) => subject === orderId).map(({ type }) => railEventKind(type));
const waitForEventsOf = async (orderId: PaymentOrderId, count: number) => {
  await vi.waitUntil(() => kindsOf(orderId).length >= count, { timeout: 5_000, interval: 10 });
  return kindsOf(orderId).sort();
};

it("settles payments on an instant rail and a slower one, and publishes that to orders", async () => {
  const [instant, slower] = [await handOff("Rtp"), await handOff("Ach")];
  expect(await waitForEventsOf(instant, 2)).toEqual(["accepted", "settled"]);
  expect(await waitForEventsOf(slower, 2)).toEqual(["accepted", "settled"]);
});

it("reads the order from orders, stores the injection, and applies it at hand-off", async () => {
  const orderId = newId("po");
  const requests: unknown[] = [];
  const subscription = orders.subscribe(GetOrder.subject, {
    callback: (_error, message) => {
      requests.push(message.json());
      message.respond(JSON.stringify({ ok: true, value: orderReply(orderId) }));
    },
  });
  await orders.flush();
  const caller = { book, tenant, mode: "Test", principal: "qa", requestId: "req_2" };
  const simulation = { orderId, action: "return", code: "R03" };
  const reply = await gateway.request(
    SimulateInstruction.subject,
    JSON.stringify({ caller, data: simulation }),
    {
      timeout: 5_000,
    },
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

function orderReply(id: PaymentOrderId) {
  const at = "2026-07-01T12:00:00.000Z";
  return {
    id,
    status: "Draft",
    mode: "Test",
    direction: "Credit",
    rail: "Ach",
    amountCents: 4_000,
    currency: "USD",
    ledgerAccountId: null,
    ledgerAccountName: "Operating",
    counterpartyId: null,
    counterpartyName: "Jane Receiver",
    counterpartyAccountNumber: "••••6789",
    counterpartyRoutingNumber: "790001005",
    externalId: null,
    description: null,
    statementDescriptor: null,
    effectiveDate: null,
    purpose: null,
    basis: "Actual",
    metadata: {},
    approval: { required: 0, received: 0, approvals: [], orderHash: null },
    cancellable: true,
    cutoff: null,
    expectedSettlementDate: null,
    ledgerTransactionId: null,
    obligationId: null,
    railReference: null,
    failure: null,
    cancelReason: null,
    return: null,
    statusHistory: [],
    createdBy: "qa",
    createdAt: at,
    updatedAt: at,
  };
}
