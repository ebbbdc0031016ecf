import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { bodyOf, getPaymentOrder, listWebhookEndpoints } from "../../world/client.ts";
import { openReceiver } from "../../world/receiver.ts";
import { until } from "../../stack/until.ts";
import { usd } from "../../world/usd.ts";
import { operatorRuns } from "../../world/system/operator.ts";
import { OwnWorld } from "../../world/system/own-world.ts";

const world = await forThisFile(OwnWorld.start({ isPatient: true, env: { API_VERSIONS: "v1,v2" } }));
const newReceiver = await forThisFile(openReceiver());
const endpoint = await world.post<{ signingSecret: string; apiVersion: string }>("/v2/webhook-endpoints", {
  url: newReceiver.url,
  eventTypes: ["payment_order.completed"],
});
newReceiver.secret = endpoint.body.signingSecret;

interface OrderV2 {
  id: string;
  status: string;
  amount: { cents: number; currency: string };
}

describe("a tenant that moves from /v1 to /v2", () => {
  it("pays with either version over the same ledger, and reads with either what the other created", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const old = await payer.pays(usd("10.00"));
    const { status, body: made } = await world.post<OrderV2>("/v2/payment-orders", {
      direction: "Credit",
      rail: "Rtp",
      amount: { cents: usd("15.00"), currency: "USD" },
      ledgerAccountId: payer.accountId,
      counterpartyName: "Ada Example",
      counterpartyAccountNumber: "000123456789",
      counterpartyRoutingNumber: "790001005",
    });
    expect(status).toBe(201);
    expect(made.amount).toEqual({ cents: 1500, currency: "USD" });
    await world.comesToRest(old.id);
    await world.comesToRest(made.id);

    const asV1 = await bodyOf(getPaymentOrder({ client: world.client(), path: { id: made.id } }));
    expect(asV1).toMatchObject({ amountCents: 1500, currency: "USD", status: "Completed" });
    const { body: asV2 } = await world.get<OrderV2>(`/v2/payment-orders/${old.id}`);
    expect(asV2).toMatchObject({ amount: { cents: 1000, currency: "USD" }, status: "Completed" });
    expect(await payer.balance()).toEqual({ posted: usd("75.00"), held: 0, available: usd("75.00") });
  });

  it("gets each event in its endpoint's version, whichever version created the order", async () => {
    const payer = await world.payerWith(usd("20.00"));
    const order = await payer.pays(usd("20.00"));
    await world.comesToRest(order.id);
    const delivered = world.receiver
      .eventsOf(order.id)
      .find(({ type }) => type === "payment_order.completed");
    const redelivered = await until("the event in version 2", () => newReceiver.eventsOf(order.id)[0]);
    expect(delivered?.data).toMatchObject({ amountCents: 2000, currency: "USD" });
    expect(redelivered.data).toMatchObject({ amount: { cents: 2000, currency: "USD" } });
    expect(redelivered.data).not.toHaveProperty("amountCents");
    expect(redelivered.id).toBe(delivered?.id);
    const { data } = await bodyOf(listWebhookEndpoints({ client: world.client() }));
    expect(data.map(({ apiVersion }) => apiVersion)).toEqual(["v2", "v1"]);
  });

  it("is listed to the operator as a caller of the old version, until it stops calling it", async () => {
    const list = async (...args: string[]) =>
      (await operatorRuns(world, "versions", ["list", ...args])).stdout.trim().split("\n");
    const seen = await until("the counts of both versions", async () => {
      const lines = await list();
      return lines.length === 2 ? lines : undefined;
    });
    expect(seen.map((line) => line.slice(0, 2)).sort()).toEqual(["v1", "v2"]);
    for (const line of seen) expect(line).toMatch(/^v\d  ten_\w+  Test +\d+  last 20\S+Z  Acme$/);
    expect(await list("--version", "v2")).toHaveLength(1);
    expect(await list("--version", "v1", "--since", "2999-01-01")).toEqual([
      "nobody called v1 since 2999-01-01",
    ]);
  });
});
