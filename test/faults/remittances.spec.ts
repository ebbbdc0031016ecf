/**
 * A remittance whose answer is lost on the way: whichever process dies, one order comes of it, or none and it is
 * payable.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../stack/until.ts";
import { Taxpayer } from "../world/taxpayer.ts";
import { usd } from "../world/usd.ts";
import { World } from "../world/world.ts";
import { proveBooks } from "./prove.ts";

let world: World;
let taxpayer: Taxpayer;
beforeAll(async () => {
  world = await World.start({ instances: 2 });
  taxpayer = new Taxpayer(world, await world.payerWith(usd("500.00")));
});
afterAll(async () => {
  await proveBooks(world);
  await world.stop();
});

/** The orders that were made for an obligation, whatever became of them. */
async function ordersFor(amountCents: number): Promise<string[]> {
  const rows = await world.rows<{ status: string }>(
    "select status from orders.payment_order where obligation_id is not null and amount_cents = $1",
    [amountCents],
  );
  return rows.map(({ status }) => status);
}

/** It has one order, which hears of the settlement a moment after the ledger has relieved the obligation. */
async function isPaidByOneOrder(amountCents: number): Promise<void> {
  await until("its order is Completed", async () => (await ordersFor(amountCents)).includes("Completed"));
  expect(await ordersFor(amountCents)).toEqual(["Completed"]);
}

/** Stops every instance of orders where it stands, so that what is asked of it gets no answer. */
function haltOrders(signal: "SIGSTOP" | "SIGCONT"): void {
  for (const { child } of world.instancesOf("orders")) process.kill(child.pid, signal);
}

describe("a remittance", () => {
  it("that the ledger dies on, between its commit and the asking, is asked for by whoever lives", async () => {
    const { id } = await taxpayer.owes(1_111, await taxpayer.payee());
    haltOrders("SIGSTOP");
    const asked = taxpayer.remits(id, { key: "lost" });
    await taxpayer.becomes(id, "Remitting");
    for (const instance of world.instancesOf("ledger")) await world.kill(instance);
    for (const instance of world.instancesOf("ledger")) await world.replace(instance);
    haltOrders("SIGCONT");
    const { status } = await asked;
    expect([503, 504]).toContain(status);
    const relieved = await taxpayer.becomes(id, "Relieved", 40_000);
    await isPaidByOneOrder(1_111);
    const again = await taxpayer.remits(id, { key: "lost" });
    expect([again.status, again.body.paymentOrderId]).toEqual([200, relieved.paymentOrderId]);
  });

  it("that orders is away for is known later, by the same key or by itself", async () => {
    const { id } = await taxpayer.owes(2_222, await taxpayer.payee());
    const orders = world.instancesOf("orders");
    for (const instance of orders) await world.kill(instance);
    const asked = await until("the broker knows that orders is gone", async () => {
      const answer = await taxpayer.remits(id, { key: "away" });
      return answer.status === 503 ? answer : undefined;
    });
    expect(asked.body).toMatchObject({ code: "service_unavailable", retryable: true });
    expect(await taxpayer.reads(id)).toMatchObject({ status: "Remitting" });
    for (const instance of orders) await world.replace(instance);
    expect((await taxpayer.remits(id, { key: "away" })).status).toBe(200);
    await taxpayer.becomes(id, "Relieved", 40_000);
    await isPaidByOneOrder(2_222);
  });

  it("that orders refuses when nobody listens any more is payable again, its key free", async () => {
    const { id } = await taxpayer.owes(3_333, await taxpayer.payee("000123456789", false));
    haltOrders("SIGSTOP");
    const asked = taxpayer.remits(id, { key: "refused" });
    await taxpayer.becomes(id, "Remitting");
    for (const instance of world.instancesOf("ledger")) await world.kill(instance);
    for (const instance of world.instancesOf("ledger")) await world.replace(instance);
    haltOrders("SIGCONT");
    await asked;
    await taxpayer.becomes(id, "Fixed", 40_000);
    expect(await ordersFor(3_333)).toEqual([]);
    const answer = await taxpayer.remits(id, { key: "refused" });
    expect([answer.status, answer.body.code]).toEqual([422, "counterparty_unverified"]);
  });
});
