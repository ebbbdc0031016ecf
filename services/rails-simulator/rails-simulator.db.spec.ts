import { randomBytes } from "node:crypto";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { bookIdOf, newId, newUuid, type PaymentOrderId } from "../../contracts/ids/ids.ts";
import type { AnyMessage } from "../../contracts/message.ts";
import { GetOrder } from "../../contracts/messages/orders.ts";
import { SimulateInstruction, SubmitInstruction } from "../../contracts/messages/rails.ts";
import type { Rail } from "../../contracts/rails/rails.ts";
import { createDatabase, type TestDatabase } from "../../test/stack/servers/database.ts";
import { createTestBench, type TestBench } from "../../test/stack/servers/local-servers.ts";
import { connectNats } from "../platform/nats/connection.ts";
import { natsConfig } from "../platform/nats/nats-config.ts";
import { provisionStreams } from "../platform/nats/provision.ts";
import { readConfig } from "../platform/process/config.ts";
import { type RunningService, startService } from "../platform/run-service.ts";
import { AccountNumberCipher } from "../platform/encryption/account-number-cipher.ts";
import { railsConfig } from "./config.ts";
import { RailsSimulatorModule } from "./rails-simulator.module.ts";

// The service as it runs, between a test that stands in for orders and one that stands in for the gateway.
const secret = "only-here";
const sealingKeys = `k1:${randomBytes(32).toString("base64")}`;
const tenant = newId("ten");
const book = bookIdOf(tenant, "Test");

let bench: TestBench;
let database: TestDatabase;
let service: RunningService;
let orders: NatsConnection;
let gateway: NatsConnection;
const heard: AnyMessage[] = [];

beforeAll(async () => {
  bench = await createTestBench();
  const [nats, made] = await Promise.all([
    bench.startNats(
      natsConfig({
        gateway: secret,
        orders: secret,
        ledger: secret,
        rails: secret,
        webhooks: secret,
        operator: secret,
      }),
    ),
    createDatabase("rails"),
  ]);
  database = made;
  const connectAs = (user: string) =>
    connectNats({ NATS_URL: nats.url, NATS_USER: user, NATS_PASSWORD: secret });
  const operator = await connectAs("operator");
  await provisionStreams(operator, 1);
  await operator.close();
  orders = await connectAs("orders");
  gateway = await connectAs("gateway");
  await standInForOrders();
  const config = readConfig(railsConfig, {
    DATABASE_URL: database.urlOf("rails"),
    NATS_URL: nats.url,
    NATS_USER: "rails",
    NATS_PASSWORD: secret,
    PORT: "0",
    LOG_LEVEL: "silent",
    ENCRYPTION_KEYS: sealingKeys,
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

async function standInForOrders(): Promise<void> {
  await jetstreamManager(orders, { checkAPI: false });
  const consumer = await jetstream(orders).consumers.get("EVT", "orders");
  const messages = await consumer.consume();
  void (async () => {
    for await (const message of messages) {
      heard.push(...message.json<{ messages: AnyMessage[] }>().messages);
      message.ack();
    }
  })();
}

async function handOff(rail: Rail, orderId: PaymentOrderId = newId("po")): Promise<PaymentOrderId> {
  const event = {
    id: newUuid(),
    type: SubmitInstruction.type,
    time: new Date().toISOString(),
    book,
    subject: orderId,
    correlationid: "req_1",
    data: {
      orderId,
      mode: "Test",
      rail,
      direction: "Credit",
      amountCents: 4_000,
      currency: "USD",
      counterpartyName: "Jane Receiver",
      counterpartyAccountNumber: new AccountNumberCipher(sealingKeys).encrypt("123456789"),
      counterpartyRoutingNumber: "790001005",
    },
  };
  await jetstream(orders).publish(`${SubmitInstruction.subject}.p00`, JSON.stringify({ messages: [event] }));
  return orderId;
}

const typesOf = (orderId: PaymentOrderId) =>
  heard
    .filter(({ subject }) => subject === orderId)
    .map(({ type }) => type.replace(/^rails\.instruction-(.*)\.v1$/, "$1"));
const untilSaidOf = async (orderId: PaymentOrderId, count: number) => {
  await vi.waitUntil(() => typesOf(orderId).length >= count, { timeout: 5_000, interval: 10 });
  return typesOf(orderId).sort();
};

it("settles an instant rail and a slower one, and tells orders", async () => {
  const [instant, slower] = [await handOff("Rtp"), await handOff("Ach")];
  expect(await untilSaidOf(instant, 2)).toEqual(["accepted", "settled"]);
  expect(await untilSaidOf(slower, 2)).toEqual(["accepted", "settled"]);
});

it("asks orders whose order it is, keeps the injection, and does it at hand-off", async () => {
  const orderId = newId("po");
  const asked: unknown[] = [];
  const subscription = orders.subscribe(GetOrder.subject, {
    callback: (_error, message) => {
      asked.push(message.json());
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
  expect(asked).toMatchObject([{ caller, data: { id: orderId } }]);
  subscription.unsubscribe();
  await handOff("Ach", orderId);
  expect(await untilSaidOf(orderId, 2)).toEqual(["accepted", "returned"]);
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
