/**
 * A remittance whose answer is lost: whichever process dies, it makes one order, or none and the obligation is payable.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../stack/until.ts";
import { Taxpayer } from "../world/taxpayer.ts";
import { usd } from "../world/usd.ts";
import { OwnWorld } from "../world/system/own-world.ts";
import { proveBooks } from "./evidence/prove.ts";

let world: OwnWorld;
let taxpayer: Taxpayer;
beforeAll(async () => {
  world = await OwnWorld.start({ instances: 2 });
  taxpayer = new Taxpayer(world, await world.payerWith(usd("500.00")));
});
afterAll(async () => {
  await proveBooks(world);
  await world.stop();
});

/** The statuses of all orders of an obligation, which has an amount of its own. */
async function ordersFor(amountCents: number): Promise<string[]> {
  const rows = await world.rows<{ status: string }>(
    "select status from orders.payment_order where obligation_id is not null and amount_cents = $1",
    [amountCents],
  );
  return rows.map(({ status }) => status);
}

/** Expects one order. It becomes Completed a moment after the ledger has relieved the obligation. */
async function isPaidByOneOrder(amountCents: number): Promise<void> {
  await until("its order is Completed", async () => (await ordersFor(amountCents)).includes("Completed"));
  expect(await ordersFor(amountCents)).toEqual(["Completed"]);
}

/** Pauses or continues every instance of orders. A paused one gives no answer. */
function haltOrders(signal: "SIGSTOP" | "SIGCONT"): void {
  for (const { child } of world.instancesOf("orders")) process.kill(child.pid, signal);
}

describe("a remittance", () => {
  it("is requested by a new instance if the ledger dies between its commit and the request to orders", async () => {
    const { id } = await taxpayer.owes(1_111, await taxpayer.payee());
    haltOrders("SIGSTOP");
    const answer = taxpayer.remits(id, { key: "lost" });
    await taxpayer.becomes(id, "Remitting");
    for (const instance of world.instancesOf("ledger")) await world.kill(instance);
    for (const instance of world.instancesOf("ledger")) await world.replace(instance);
    haltOrders("SIGCONT");
    const { status } = await answer;
    expect([503, 504]).toContain(status);
    const relieved = await taxpayer.becomes(id, "Relieved");
    await isPaidByOneOrder(1_111);
    const again = await taxpayer.remits(id, { key: "lost" });
    expect([again.status, again.body.paymentOrderId]).toEqual([200, relieved.paymentOrderId]);
  });

  it("succeeds later if orders is down, by the same key or by itself", async () => {
    const { id } = await taxpayer.owes(2_222, await taxpayer.payee());
    const orders = world.instancesOf("orders");
    for (const instance of orders) await world.kill(instance);
    const answer = await until("orders does not answer", async () => {
      const answer = await taxpayer.remits(id, { key: "away" });
      return answer.status === 503 ? answer : undefined;
    });
    expect(answer.body).toMatchObject({ code: "service_unavailable", retryable: true });
    expect(await taxpayer.reads(id)).toMatchObject({ status: "Remitting" });
    for (const instance of orders) await world.replace(instance);
    expect((await taxpayer.remits(id, { key: "away" })).status).toBe(200);
    await taxpayer.becomes(id, "Relieved");
    await isPaidByOneOrder(2_222);
  });

  it("leaves the obligation payable and the key free if orders refuses it after the ledger died", async () => {
    const { id } = await taxpayer.owes(3_333, await taxpayer.payee("000123456789", false));
    haltOrders("SIGSTOP");
    const first = taxpayer.remits(id, { key: "refused" });
    await taxpayer.becomes(id, "Remitting");
    for (const instance of world.instancesOf("ledger")) await world.kill(instance);
    for (const instance of world.instancesOf("ledger")) await world.replace(instance);
    haltOrders("SIGCONT");
    await first;
    await taxpayer.becomes(id, "Fixed");
    expect(await ordersFor(3_333)).toEqual([]);
    const answer = await taxpayer.remits(id, { key: "refused" });
    expect([answer.status, answer.body.code]).toEqual([422, "counterparty_unverified"]);
  });
});
