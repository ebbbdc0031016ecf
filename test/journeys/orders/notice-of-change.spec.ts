/** A bank corrects a counterparty's account in a Manual book: the proposal, its deadline, and how it is cleared. */
import { describe, expect, it } from "vitest";
import type { SimulatedOrder } from "../../../contracts/http/sandbox/simulated-rails.ts";
import type { Counterparty } from "../../../contracts/http/payments/counterparties.ts";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import type { ProposedChange } from "../../../contracts/http/payments/proposed-changes.ts";
import type { Problem } from "../../../contracts/http/problem.ts";
import type { TestSink, TestSinkRequest } from "../../../contracts/http/webhooks/test-sinks.ts";
import type { PartName } from "../../../scripts/local/demo/seed.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import { seedOtherTenant } from "../../world/system/operator.ts";
import { usd } from "../../world/usd.ts";
import { advanceClock } from "../../world/patience/advances.ts";
import { setClock } from "../../world/patience/set-clock.ts";
import { World } from "../../world/world.ts";

const world = await forThisFile(World.join());
const payer = await world.payerNamed("Corrections");
const counterparties = "/v1/counterparties";
const number = "000123456789";

const as = <T = Problem>(key: PartName, method: "GET" | "POST" | "PUT", path: string, body?: object) =>
  world.send<T>(world.tenant.keys[key], method, path, body === undefined ? {} : { body });

async function verifiedCounterparty(): Promise<Counterparty> {
  const accounts = [{ rail: "Ach", accountNumber: number, routingNumber: "790001005" }];
  const details = { name: "Ada Example", type: "Individual", accounts };
  const { body } = await as<Counterparty>("maker", "POST", counterparties, details);
  const verified = await as<Counterparty>("admin", "POST", `${counterparties}/${body.id}/verify`);
  expect(verified.status).toBe(200);
  return verified.body;
}

const pay = (counterpartyId: string, more: object = {}) =>
  as<PaymentOrder>("maker", "POST", "/v1/payment-orders", {
    direction: "Credit",
    rail: "Ach",
    amountCents: usd("10.00"),
    ledgerAccountId: payer.accountId,
    counterpartyId,
    ...more,
  });

/** The events that a sink gets, once there is one. */
async function eventsAt(sink: TestSink): Promise<{ type: string; data: Record<string, unknown> }[]> {
  const requests = await until("the event of the proposal", async () => {
    const { body } = await world.get<{ data: TestSinkRequest[] }>(`/v1/test-sinks/${sink.id}/requests`);
    return body.data.length > 0 ? body.data : undefined;
  });
  return requests.map(
    ({ bodyBase64 }) =>
      JSON.parse(Buffer.from(bodyBase64, "base64").toString()) as {
        type: string;
        data: Record<string, unknown>;
      },
  );
}

describe("a notice of change", () => {
  it("is proposed, blocks new orders six banking days later, and an acceptance clears it", async () => {
    const sink = (await world.post<TestSink>("/v1/test-sinks", {})).body;
    const eventTypes = ["counterparty.change_proposed"];
    await world.post("/v1/webhook-endpoints", { url: sink.url, eventTypes });
    const startAt = "2038-02-09T15:00:00.000Z";
    await setClock(world, world.tenant.keys.maker, { mode: "Manual", startAt, seed: "7" });
    const { id, version } = await verifiedCounterparty();
    const correctedData = { accountNumber: "000987654321", routingNumber: "790001102" };
    const rule = { match: { accountNumber: number }, fault: "NoticeOfChange", code: "C03", correctedData };
    expect((await world.post("/v1/simulations/injections", { ...rule, count: 1 })).status).toBe(201);
    const { body: order } = await pay(id);
    const { body: draft } = await pay(id, { submit: false });

    await advanceClock(world, { to: "2038-02-16T15:00:00.000Z" });
    const proposals = `${counterparties}/${id}/proposed-changes`;
    const { body: page } = await world.get<{ data: ProposedChange[] }>(proposals);
    const shown = {
      accountNumber: "****4321",
      routingNumber: "790001102",
      name: null,
      transactionCode: null,
      individualId: null,
    };
    const receivedAt = "2038-02-12T13:30:00.000Z";
    const change = page.data[0];
    expect(page.data).toEqual([
      {
        id: change?.id,
        counterpartyId: id,
        paymentOrderId: order.id,
        status: "Open",
        rails: ["Ach"],
        code: "C03",
        correctedData: shown,
        receivedAt,
        // Monday, 15 February, is a holiday: the sixth banking day is Tuesday, the 23rd.
        correctBy: "2038-02-24T05:00:00.000Z",
        decidedBy: null,
        decidedAt: null,
      },
    ]);
    expect(await world.order(order.id)).toMatchObject({
      status: "Completed",
      return: null,
      noticesOfChange: [{ code: "C03", correctedData: shown, receivedAt, proposedChangeId: change?.id }],
    });
    const simulated = await world.get<SimulatedOrder>(`/v1/simulations/payment-orders/${order.id}`);
    expect(simulated.body.steps.map(({ event, code }) => [event, code])).toEqual([
      ["Accepted", null],
      ["Settled", null],
      ["NoticeOfChange", "C03"],
    ]);
    const [event, ...more] = await eventsAt(sink);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: "counterparty.change_proposed",
      data: { id: change?.id, counterpartyId: id, correctedData: shown },
    });

    await advanceClock(world, { to: "2038-02-23T20:00:00.000Z" });
    expect((await pay(id)).status).toBe(201);
    await advanceClock(world, { to: "2038-02-24T05:00:00.000Z" });
    const refusal = {
      status: 422,
      body: { code: "counterparty_change_pending", resourceId: id, proposedChangeId: change?.id },
    };
    expect(await pay(id)).toMatchObject(refusal);
    expect(await as("maker", "POST", `/v1/payment-orders/${draft.id}/submit`)).toMatchObject(refusal);

    const accepted = await as<Counterparty>("maker", "POST", `${proposals}/${String(change?.id)}/accept`);
    expect(accepted).toMatchObject({
      status: 200,
      body: {
        version: version + 1,
        verificationStatus: "Unverified",
        accounts: [{ accountNumber: "****4321", routingNumber: "790001102" }],
      },
    });
    expect(accepted.headers.get("etag")).toBe(`"${String(version + 1)}"`);
    expect(await as("maker", "POST", `${counterparties}/${id}/verify`)).toMatchObject({
      status: 403,
      body: { code: "self_approval_not_allowed" },
    });
    expect((await as("admin", "POST", `${counterparties}/${id}/verify`)).status).toBe(200);
    const corrected = { counterpartyAccountNumber: "****4321", counterpartyRoutingNumber: "790001102" };
    expect(await pay(id)).toMatchObject({ status: 201, body: corrected });
    expect(await as("maker", "POST", `/v1/payment-orders/${draft.id}/submit`)).toMatchObject({
      status: 200,
      body: { status: "Submitted", ...corrected },
    });
    expect(await world.order(order.id)).toMatchObject({ counterpartyAccountNumber: "****6789" });

    const stranger = (await seedOtherTenant(world, "Stranger")).keys.admin;
    for (const [method, path] of [
      ["GET", proposals],
      ["POST", `${proposals}/${String(change?.id)}/accept`],
      ["POST", `${proposals}/${String(change?.id)}/dismiss`],
    ] as const) {
      expect(await world.send(stranger, method, path)).toMatchObject({ status: 404 });
    }
  });

  it("is shown by an order with details of its own, and proposes nothing", async () => {
    const { body: order } = await pay("", {
      counterpartyId: undefined,
      counterpartyName: "Ada Example",
      counterpartyAccountNumber: "000111222333",
      counterpartyRoutingNumber: "790001005",
    });
    const call = `/v1/simulations/payment-orders/${order.id}/notify-of-change`;
    const bad = { code: "C02", correctedData: { routingNumber: "790001103" } };
    expect(await as("maker", "POST", call, bad)).toMatchObject({
      status: 422,
      body: { code: "invalid_routing_number", errors: [{ pointer: "/correctedData/routingNumber" }] },
    });
    expect(
      (await world.get<SimulatedOrder>(`/v1/simulations/payment-orders/${order.id}`)).body,
    ).toMatchObject({
      kept: null,
    });
    const good = { code: "C02", correctedData: { routingNumber: "790001102" } };
    expect((await as("maker", "POST", call, good)).status).toBe(200);
    await advanceClock(world, { to: "2038-03-02T15:00:00.000Z" });
    expect(await world.order(order.id)).toMatchObject({
      status: "Completed",
      noticesOfChange: [{ code: "C02", proposedChangeId: null }],
    });
  });
});
