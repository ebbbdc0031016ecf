import { beforeAll, describe, expect, it } from "vitest";
import type { z } from "zod";
import { newId, creationTimeOf } from "../../../contracts/ids/ids.ts";
import { GetOrder } from "../../../contracts/messages/orders.ts";
import { CreateRemittance } from "../../../contracts/messages/obligations.ts";
import { PlaceHold } from "../../../contracts/messages/ledger.ts";
import {
  account,
  CounterpartiesOnTest,
  type CounterpartyChange,
} from "../../../test/stack/orders/counterparties.ts";
import { accounts, OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { expectRefusal } from "../../../test/stack/refusals.ts";
import { RpcClient } from "../../platform/rpc/client.ts";

// The test plays the ledger, which requests the order that pays an obligation.
const orders = new OrdersOnTest(2);
const counterparties = new CounterpartiesOnTest(orders);
let ledger: RpcClient;
beforeAll(async () => {
  ledger = new RpcClient(await orders.messaging.connectAs("ledger"));
});

type Remittance = z.output<(typeof CreateRemittance)["data"]>;

const payee = async (verified = true) => {
  const { id } = await counterparties.create({ name: "Oregon DOT", accounts: [account("000123456789")] });
  if (verified) await counterparties.verify(id);
  return id;
};

async function aRemittance(change: Partial<Remittance> = {}): Promise<Remittance> {
  return {
    orderId: newId("po"),
    obligationId: newId("ob"),
    reference: "IFTA 2026-Q1",
    rail: "Ach",
    amountCents: 12_500,
    ledgerAccountId: accounts.Operating,
    ledgerAccountName: "Operating",
    counterpartyId: await payee(),
    ...change,
  };
}

function request(remittance: Remittance) {
  const idempotency = { key: `remittance/${remittance.orderId}`, fingerprint: remittance.orderId };
  return ledger.request(CreateRemittance, { caller: orders.caller(), idempotency }, remittance, {
    deadlineMs: 15_000,
  });
}

describe("the makers of a remittance", () => {
  it("are everybody who made the obligation or entered its payee's details, so none of them approves it", async () => {
    const cp = await counterparties.create(
      { name: "Idaho DOT", accounts: [account("000123456789")] },
      { caller: orders.caller("enterer") },
    );
    await counterparties.verify(cp.id);
    const remittance = await aRemittance({
      amountCents: 1_000_001,
      counterpartyId: cp.id,
      makers: ["writer", "amender"],
    });
    await request(remittance);
    for (const maker of ["writer", "amender", "enterer", "maker"]) {
      await expectRefusal(orders.approve(remittance.orderId, maker), "self_approval_not_allowed");
    }
    const { value: approved } = await orders.approve(remittance.orderId, "checker");
    expect(approved.approval).toMatchObject({ required: 1, received: 1 });
  });

  /** A payee whose account "solo" entered and "editor" changed, Verified before and after; and its remittance. */
  async function paysEdited(change: CounterpartyChange): Promise<Remittance> {
    const cp = await counterparties.create(
      { name: "Utah DOT", accounts: [account("000123456789")] },
      { caller: orders.caller("solo") },
    );
    await counterparties.verify(cp.id);
    await counterparties.replace(cp.id, change, { caller: orders.caller("editor") });
    await counterparties.verify(cp.id);
    const remittance = await aRemittance({ amountCents: 1_000_001, counterpartyId: cp.id });
    await request(remittance);
    return remittance;
  }

  it.each<[string, CounterpartyChange]>([
    ["name", { name: "Utah", accounts: [account("000123456789")] }],
    ["rail", { accounts: [account("000123456789", { rail: "Rtp" }), account("77777")] }],
    ["routing number", { accounts: [account("000123456789", { routingNumber: "021000089" })] }],
  ])("are still whoever entered its account if another %s was verified since", async (_what, change) => {
    const { orderId } = await paysEdited(change);
    for (const maker of ["solo", "editor"]) {
      await expectRefusal(orders.approve(orderId, maker), "self_approval_not_allowed");
    }
    expect((await orders.approve(orderId, "checker")).value.approval).toMatchObject({ received: 1 });
  });

  it("are no more those whose account another one has replaced", async () => {
    const { orderId } = await paysEdited({ accounts: [account("77777", { routingNumber: "021000089" })] });
    await expectRefusal(orders.approve(orderId, "editor"), "self_approval_not_allowed");
    expect((await orders.approve(orderId, "solo")).value.approval).toMatchObject({ received: 1 });
  });
});

describe("a remittance", () => {
  it("is exactly the order that was requested, submitted by whoever remits", async () => {
    const remittance = await aRemittance();
    expect((await request(remittance)).value).toEqual({ id: remittance.orderId, status: "Submitted" });
    const { value: order } = await orders.request(GetOrder, { id: remittance.orderId });
    expect(order).toMatchObject({
      id: remittance.orderId,
      obligationId: remittance.obligationId,
      status: "Submitted",
      direction: "Credit",
      rail: "Ach",
      amountCents: 12_500,
      ledgerAccountName: "Operating",
      counterpartyId: remittance.counterpartyId,
      counterpartyName: "Oregon DOT",
      counterpartyAccountNumber: "****6789",
      description: "Pays IFTA 2026-Q1",
      basis: "Actual",
      createdBy: "maker",
      createdAt: creationTimeOf(remittance.orderId).toISOString(),
    });
    expect(order.statusHistory.map(({ to }) => to)).toEqual(["Draft", "Submitted"]);
    const [hold] = await orders.published(remittance.orderId, PlaceHold);
    expect(hold?.data).toMatchObject({
      orderId: remittance.orderId,
      amountCents: 12_500,
      ledgerAccountId: accounts.Operating,
      contra: { kind: "Obligation", obligationId: remittance.obligationId },
    });
  });

  it("is one order, however often it is requested at once", async () => {
    const remittance = await aRemittance();
    const answers = await Promise.allSettled(Array.from({ length: 8 }, () => request(remittance)));
    expect(answers.filter(({ status }) => status === "fulfilled").length).toBeGreaterThan(0);
    expect((await request(remittance)).replayed).toBe(true);
    expect(await orders.published(remittance.orderId, PlaceHold)).toHaveLength(1);
  });

  it.each<[string, Partial<Remittance> | "unverified", string]>([
    ["a payee that does not exist", { counterpartyId: newId("cp") }, "obligation_not_payable"],
    ["an unverified payee", "unverified", "counterparty_unverified"],
    ["a rail that the payee has no account on", { rail: "Wire" }, "counterparty_account_missing"],
    ["more than its rail carries", { amountCents: 10_000_000_000 }, "amount_above_rail_limit"],
  ])("to %s is refused, and nothing is stored", async (_whom, change, code) => {
    const made = change === "unverified" ? { counterpartyId: await payee(false) } : change;
    const remittance = await aRemittance(made);
    await expectRefusal(request(remittance), code);
    await expectRefusal(orders.request(GetOrder, { id: remittance.orderId }), "not_found");
    expect(await orders.published(remittance.orderId)).toEqual([]);
  });

  it("can be requested by the ledger only", async () => {
    const remittance = await aRemittance();
    expect(
      await orders.request(CreateRemittance, remittance).catch((error: unknown) => error),
    ).toBeInstanceOf(Error);
    await expectRefusal(orders.request(GetOrder, { id: remittance.orderId }), "not_found");
  });

  it("keeps the obligation that it was submitted with", async () => {
    const remittance = await aRemittance();
    await request(remittance);
    const rebind = orders.sql(
      "update payment_order set obligation_id = gen_random_uuid() where obligation_id is not null",
    );
    await expect(rebind).rejects.toMatchObject({ code: "OR001" });
  });
});
