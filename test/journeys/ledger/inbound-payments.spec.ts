import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { InboundPayment } from "../../../contracts/http/ledger/inbound-payments.ts";
import type { VirtualAccount } from "../../../contracts/http/ledger/virtual-accounts.ts";
import { proveBooks } from "../../faults/evidence/prove.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import { aNumber, received as receivedIn, sendsTo } from "../../world/inbound.ts";
import type { Payer } from "../../world/payer.ts";
import { usd } from "../../world/usd.ts";
import { OwnWorld } from "../../world/system/own-world.ts";

// Two instances of every service: each payment is booked once, whichever instance receives it.
let payer: Payer;
let virtual: VirtualAccount;
const world = await forThisFile(OwnWorld.start({ isPatient: true, instances: 2 }));
afterAll(async () => {
  await proveBooks(world);
});
beforeEach(async () => {
  payer = await world.payerWith(0);
  virtual = await aNumber(world, payer.accountId);
});

const sends = (
  amountCents: number,
  more: { virtualAccountNumber?: string; [member: string]: unknown } = {},
) => sendsTo(world, more.virtualAccountNumber ?? virtual.accountNumber, amountCents, more);
const received = (bankReference: string) => receivedIn(world, bankReference);
const delivered = (payment: InboundPayment) =>
  until(`the event of ${payment.id}`, () =>
    world.receiver.deliveries.find(({ data }) => data.id === payment.id),
  );

describe("money for a virtual account", () => {
  it("is booked to its ledger account, and its webhook is delivered", async () => {
    const payment = await received(await sends(usd("1200.00")));
    expect(payment).toMatchObject({
      status: "Attributed",
      virtualAccountId: virtual.id,
      ledgerAccountId: payer.accountId,
      amountCents: usd("1200.00"),
    });
    expect(await payer.balance()).toMatchObject({ posted: usd("1200.00"), available: usd("1200.00") });
    expect(await delivered(payment)).toMatchObject({
      type: "inbound_payment.received",
      data: {
        id: payment.id,
        status: "Attributed",
        virtualAccountId: virtual.id,
        bankReference: payment.bankReference,
        amountCents: usd("1200.00"),
      },
    });
    const { body } = await world.get<{ data: { eventType: string }[] }>(
      "/v1/webhooks?eventType=inbound_payment.received&limit=1",
    );
    expect(body.data).toMatchObject([{ eventType: "inbound_payment.received" }]);
  });

  it.each(["Ach", "SameDayAch", "Rtp", "Wire", "Usdc"])(
    "arrives over %s, and the bank agrees",
    async (rail) => {
      await received(await sends(usd("10.00"), { rail }));
      expect(await payer.balance()).toMatchObject({ posted: usd("10.00") });
      const { body } = await world.post<{ differenceCents: number; unmatchedLedgerEntries: unknown[] }>(
        "/v1/reconciliations",
        {},
      );
      expect(body).toMatchObject({ differenceCents: 0, unmatchedLedgerEntries: [] });
    },
  );

  it("is booked once, however often the bank reports it", async () => {
    const bankReference = await sends(usd("5.00"));
    await received(bankReference);
    await Promise.all(Array.from({ length: 8 }, () => sends(usd("5.00"), { bankReference })));
    await delivered(await received(await sends(usd("1.00"))));
    expect(await payer.balance()).toMatchObject({ posted: usd("6.00") });
  });

  it("is not simulated under the reference of another payment, nor with a live key", async () => {
    const bankReference = await sends(usd("5.00"));
    const body = {
      virtualAccountNumber: virtual.accountNumber,
      rail: "Rtp",
      amountCents: usd("5.01"),
      originatorName: "Blue Freight LLC",
      bankReference,
    };
    const path = "/v1/simulations/inbound-payments";
    const refused = await world.post<{ code: string }>(path, body);
    expect([refused.status, refused.body.code]).toEqual([422, "simulation_not_applicable"]);
    const live = await world.post(path, { ...body, bankReference: undefined }, { as: "live" });
    expect(live).toMatchObject({ status: 403, body: { code: "simulation_requires_test_key" } });
  });

  it("can pay an order at once, also one that names a virtual account's number instead of an account", async () => {
    await received(await sends(usd("20.00")));
    const saver = await world.payerWith(0);
    const savings = await aNumber(world, saver.accountId);
    const moved = () => payer.pays(usd("8.00"), { rail: "Book", to: savings.accountNumber });
    await world.comesToRest((await moved()).id);
    expect(await saver.balance()).toMatchObject({ posted: usd("8.00") });
    await world.post(`/v1/virtual-accounts/${savings.id}/disable`);
    const body = payer.body(usd("1.00"), "Book", { counterpartyAccountNumber: savings.accountNumber });
    const refused = await world.post<{ code: string }>("/v1/payment-orders", body);
    expect([refused.status, refused.body.code]).toEqual([422, "ledger_account_not_found"]);
  });

  it("comes in from an Rtp order of the same book too", async () => {
    await received(await sends(usd("20.00")));
    const saver = await world.payerWith(0);
    const savings = await aNumber(world, saver.accountId);
    const body = payer.body(usd("8.00"), "Rtp", {
      counterpartyAccountNumber: savings.accountNumber,
      counterpartyRoutingNumber: savings.routingNumber,
    });
    const { id } = (await world.post<{ id: string }>("/v1/payment-orders", body)).body;
    const { status } = await world.comesToRest(id);
    expect(status).toBe("Completed");
    const payment = await until("the inbound payment", async () => {
      const path = `/v1/inbound-payments?virtualAccountId=${savings.id}`;
      return (await world.get<{ data: InboundPayment[] }>(path)).body.data[0];
    });
    expect(payment).toMatchObject({ status: "Attributed", rail: "Rtp", amountCents: usd("8.00") });
    expect(await saver.balance()).toMatchObject({ posted: usd("8.00") });
    expect(await payer.balance()).toMatchObject({ posted: usd("12.00") });
  });
});

describe("money that can't be attributed", () => {
  it("is in Suspense with a reason until a person assigns it, once", async () => {
    const lost = await received(await sends(usd("30.00"), { virtualAccountNumber: "12345678901234567" }));
    expect(lost).toMatchObject({ status: "Suspended", reason: "UnknownNumber", ledgerAccountId: null });
    expect(await payer.balance()).toMatchObject({ posted: 0 });
    const assign = () =>
      world.post<InboundPayment & { code?: string }>(`/v1/inbound-payments/${lost.id}/assign`, {
        ledgerAccountId: payer.accountId,
      });
    expect((await assign()).body).toMatchObject({
      status: "Assigned",
      ledgerAccountId: payer.accountId,
      assignment: { assignedBy: "maker" },
    });
    expect(await payer.balance()).toMatchObject({ posted: usd("30.00") });
    expect(await assign()).toMatchObject({ status: 409, body: { code: "invalid_state_transition" } });
    expect(await payer.balance()).toMatchObject({ posted: usd("30.00") });
  });

  it("includes money for a disabled or closed number; an enabled number receives again", async () => {
    await world.post(`/v1/virtual-accounts/${virtual.id}/disable`);
    const first = await received(await sends(usd("3.00")));
    expect(first).toMatchObject({ status: "Suspended", reason: "VirtualAccountDisabled" });
    await world.post(`/v1/virtual-accounts/${virtual.id}/enable`);
    expect(await received(await sends(usd("4.00")))).toMatchObject({ status: "Attributed" });
    await world.post(`/v1/virtual-accounts/${virtual.id}/close`);
    const last = await received(await sends(usd("5.00")));
    expect(last).toMatchObject({ status: "Suspended", reason: "VirtualAccountClosed" });
    expect(await payer.balance()).toMatchObject({ posted: usd("4.00") });
    const opened = await world.post<{ code: string }>(`/v1/virtual-accounts/${virtual.id}/enable`);
    expect([opened.status, opened.body.code]).toEqual([409, "invalid_state_transition"]);
  });
});

describe("a debit of a virtual account", () => {
  it("is returned, published, and moves nothing", async () => {
    const payment = await received(await sends(usd("7.00"), { rail: "Ach", direction: "Debit" }));
    expect(payment).toMatchObject({ status: "Returned", returnCode: "R29", ledgerTransactionId: null });
    expect((await delivered(payment)).data).toMatchObject({ status: "Returned", direction: "Debit" });
    expect(await payer.balance()).toMatchObject({ posted: 0 });
    const overRtp = await world.post<{ code: string }>("/v1/simulations/inbound-payments", {
      virtualAccountNumber: virtual.accountNumber,
      rail: "Rtp",
      direction: "Debit",
      amountCents: 100,
      originatorName: "Nobody",
    });
    expect([overRtp.status, overRtp.body.code]).toEqual([422, "direction_not_supported"]);
  });
});
