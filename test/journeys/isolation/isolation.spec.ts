import { describe, expect, it } from "vitest";
import type { ApprovalPolicy, PolicyProposal } from "../../../contracts/http/payments/approval-policies.ts";
import type { Counterparty } from "../../../contracts/http/payments/counterparties.ts";
import type { PaymentOrder } from "../../../clients/typescript/types.gen.ts";
import type { TestSink } from "../../../contracts/http/webhooks/test-sinks.ts";
import type { WebhookDelivery } from "../../../contracts/http/webhooks/webhooks.ts";
import { type IdPrefix, newId } from "../../../contracts/ids/ids.ts";
import type { Answer } from "../../../scripts/local/demo/api.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { seedOtherTenant } from "../../world/system/operator.ts";
import { counterpartyOn } from "../../world/payer.ts";
import { until } from "../../stack/until.ts";
import { usd } from "../../world/usd.ts";
import { World } from "../../world/world.ts";

type List<Item> = { data: Item[]; nextCursor: string | null };

const account = { rail: "Rtp", accountNumber: "000123456789", routingNumber: "790001005" };
const payee = { name: "Ada Example", type: "Business", accounts: [account] };

const world = await forThisFile(World.join());

const neighbour = await seedOtherTenant(world, "Neighbour");

/** Resources of Acme, which nobody else may see. */
const payer = await world.payerWith(usd("100.00"));
const order = await world.comesToRest((await payer.pays(usd("1.00"))).id);
const waiting = await world.reaches(
  (await payer.pays(usd("1.00"), { rail: "Wire" })).id,
  (seen) => seen.status === "Pending",
);
const delivery = await until("a delivery of Acme's", async () => {
  const { body } = await world.get<List<WebhookDelivery>>("/v1/webhooks");
  return body.data[0];
});
const counterparty = (await world.post<Counterparty>("/v1/counterparties", payee)).body;
const { body: policy } = await world.get<ApprovalPolicy>("/v1/approval-policy");
const looser = await world.send(world.tenant.keys.admin, "PUT", "/v1/approval-policy", {
  body: { ...policy, dualApprovalRails: [] },
});
const proposalId = String(looser.body["proposalId"]);
const sink = (await world.post<TestSink>("/v1/test-sinks", {})).body;

/** Two books that are not Acme's Test book: another tenant's, and Acme's own Live one. */
const strangers = [
  { stranger: "another tenant", key: neighbour.keys.admin },
  { stranger: "the tenant's own Live book", key: world.tenant.keys.live },
];

const credit = { direction: "Credit", rail: "Rtp", amountCents: 100 };
const notFound = { status: 404, body: { code: "not_found" } };

/** A new account of the key's own book. */
async function ownAccount(key: string, name = `Own ${String(performance.now())}`): Promise<string> {
  const made = await world.send(key, "POST", "/v1/ledger-accounts", { body: { name } });
  expect(made.status).toBe(201);
  return String(made.body["id"]);
}

/** The members that two problems about different ids must share. */
function gistOf({ status, body }: Answer): unknown {
  const { instance: _path, requestId: _id, ...gist } = body;
  return { status, gist };
}

describe.each(strangers)("for $stranger", ({ key }) => {
  it.each<[what: string, path: (id: string) => string, id: string, prefix: IdPrefix]>([
    ["an order", (id) => `/v1/payment-orders/${id}`, order.id, "po"],
    ["a counterparty", (id) => `/v1/counterparties/${id}`, counterparty.id, "cp"],
    ["an account", (id) => `/v1/ledger-accounts/${id}`, payer.accountId, "la"],
    ["an account's entries", (id) => `/v1/ledger-accounts/${id}/entries`, payer.accountId, "la"],
    ["a delivery", (id) => `/v1/webhooks/${id}`, delivery.id, "wh"],
    ["a sink's requests", (id) => `/v1/test-sinks/${id}/requests`, sink.id, "sink"],
  ])("%s looks like one that never was", async (_what, path, id, prefix) => {
    const theirs = await world.send(key, "GET", path(id));
    expect(theirs).toMatchObject(notFound);
    expect(gistOf(theirs)).toEqual(gistOf(await world.send(key, "GET", path(newId(prefix)))));
  });

  it.each(["submit", "approve", "cancel"])("can never %s an order", async (action) => {
    const before = await world.order(waiting.id);
    const refused = await world.send(key, "POST", `/v1/payment-orders/${waiting.id}/${action}`);
    expect(refused).toMatchObject(notFound);
    expect(await world.order(waiting.id)).toEqual(before);
  });

  it.each([
    { what: "replaced", method: "PUT" as const, path: "", body: payee },
    { what: "verified", method: "POST" as const, path: "/verify", body: {} },
  ])("a counterparty can't be $what", async ({ method, path, body }) => {
    const refused = await world.send(key, method, `/v1/counterparties/${counterparty.id}${path}`, { body });
    expect(refused).toMatchObject(notFound);
    const { body: after } = await world.get<Counterparty>(`/v1/counterparties/${counterparty.id}`);
    expect(after).toEqual(counterparty);
  });

  it.each(["approve", "deny"])("can never %s a policy proposal", async (action) => {
    const refused = await world.send(key, "POST", `/v1/approval-policy/proposals/${proposalId}/${action}`);
    expect(refused).toMatchObject(notFound);
    const theirs = await world.send(key, "GET", "/v1/approval-policy/proposals");
    expect(theirs.body["data"]).toEqual([]);
    const { body: ours } = await world.get<List<PolicyProposal>>("/v1/approval-policy/proposals");
    expect(ours.data).toMatchObject([{ id: proposalId, status: "Open" }]);
  });

  it("no order can pay a counterparty: the answer is that of one that never existed", async () => {
    const ledgerAccountId = await ownAccount(key);
    const pay = (counterpartyId: string) =>
      world.send(key, "POST", "/v1/payment-orders", { body: { ...credit, ledgerAccountId, counterpartyId } });
    const [theirs, nobodys] = [await pay(counterparty.id), await pay(newId("cp"))];
    expect(theirs).toMatchObject(notFound);
    expect(gistOf(theirs)).toEqual(gistOf(nobodys));
  });

  it("a delivery can't be retried", async () => {
    const refused = await world.send(key, "POST", `/v1/webhooks/${delivery.id}/retry`);
    expect(refused.status).toBe(404);
  });

  it.each<[what: string, method: "PATCH" | "POST" | "DELETE", action: string, body?: object]>([
    ["changed", "PATCH", "", { description: "mine" }],
    ["tested", "POST", "/test", {}],
    ["given a new secret", "POST", "/rotate-secret", {}],
    ["left with one secret", "POST", "/retire-previous-secret"],
    ["deleted", "DELETE", ""],
  ])("a webhook endpoint can't be %s", async (_what, method, action, body) => {
    const path = `/v1/webhook-endpoints/${delivery.endpointId}`;
    const before = await world.get(path);
    const refused = await world.send(key, method, `${path}${action}`, body === undefined ? {} : { body });
    expect(refused).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect((await world.get(path)).body).toEqual(before.body);
  });

  it.each([
    { by: "id", member: { ledgerAccountId: payer.accountId } },
    { by: "name", member: { ledgerAccountName: payer.accountName } },
  ])("no order can draw on an account, named by its $by", async ({ by, member }) => {
    const order = { ...credit, ...counterpartyOn("Rtp") };
    const body = { ...order, ...member };
    const refused = await world.send(key, "POST", "/v1/payment-orders", { body });
    expect(refused).toMatchObject({ status: 422, body: { code: "ledger_account_not_found" } });
    const absent = by === "id" ? { ledgerAccountId: newId("la") } : { ledgerAccountName: "Nobody's" };
    const made = await world.send(key, "POST", "/v1/payment-orders", { body: { ...order, ...absent } });
    expect(made.body).toMatchObject({
      status: 422,
      code: "ledger_account_not_found",
      title: refused.body["title"],
    });
  });

  it.each([
    { by: "id", counterpartyAccountNumber: payer.accountId },
    { by: "name", counterpartyAccountNumber: payer.accountName },
  ])(
    "no book transfer can collect from an account, named by its $by",
    async ({ counterpartyAccountNumber }) => {
      const debit = { direction: "Debit", rail: "Book", amountCents: 100 };
      const body = { ...debit, ledgerAccountId: await ownAccount(key), counterpartyAccountNumber };
      const refused = await world.send(key, "POST", "/v1/payment-orders", { body });
      expect(refused).toMatchObject({ status: 422, body: { code: "ledger_account_not_found" } });
    },
  );

  it("lists and balances show nothing of Acme, even with Acme's cursors and filters", async () => {
    const first = await world.get<List<PaymentOrder>>("/v1/payment-orders?limit=1");
    const cursor = encodeURIComponent(first.body.nextCursor ?? "");
    const lists = [
      "/v1/payment-orders",
      `/v1/payment-orders?limit=1&cursor=${cursor}`,
      "/v1/webhooks",
      `/v1/webhooks?eventId=${delivery.eventId}`,
      `/v1/webhooks?endpointId=${delivery.endpointId}`,
      `/v1/webhooks?objectId=${order.id}`,
      "/v1/webhook-endpoints",
      "/v1/counterparties",
    ];
    for (const path of lists) {
      expect([path, (await world.send(key, "GET", path)).body["data"]]).toEqual([path, []]);
    }
    for (const path of ["/v1/ledger-accounts?limit=100", "/v1/balances?limit=100"]) {
      const { body } = await world.send(key, "GET", path);
      expect(JSON.stringify(body)).not.toContain(payer.accountName);
      expect(JSON.stringify(body)).not.toContain(payer.accountId);
    }
  });

  it("a name that another book uses is free", async () => {
    const id = await ownAccount(key, payer.accountName);
    const nothing = { postedBalanceCents: 0, pendingBalanceCents: 0, availableBalanceCents: 0 };
    expect((await world.send(key, "GET", `/v1/ledger-accounts/${id}`)).body).toMatchObject(nothing);
    expect((await payer.balance()).posted).toBe(usd("99.00"));
  });
});

describe("for a stranger with a test key", () => {
  it("no outcome of an order can be simulated", async () => {
    const path = `/v1/simulations/payment-orders/${waiting.id}/fail`;
    const refused = await world.send(neighbour.keys.admin, "POST", path, { body: {} });
    expect(refused).toMatchObject(notFound);
  });

  it("an advance of a clock looks like one that never was", async () => {
    const { admin } = (await seedOtherTenant(world, "Clocked")).keys;
    const clock = "/v1/simulations/clock";
    expect(await world.send(admin, "PUT", clock, { body: { mode: "Manual" } })).toMatchObject({
      status: 200,
    });
    const body = { nextBankingDay: true };
    const begun = await world.send(admin, "POST", `${clock}/advance`, { body });
    expect(begun).toMatchObject({ status: 202 });
    const read = (id: unknown) => world.send(neighbour.keys.admin, "GET", `${clock}/advances/${String(id)}`);
    const theirs = await read(begun.body["id"]);
    expect(theirs).toMatchObject(notFound);
    expect(gistOf(theirs)).toEqual(gistOf(await read(newId("adv"))));
  });

  it("an id is not found under another resource's path", async () => {
    const path = `/v1/payment-orders/${payer.accountId}`;
    const refused = await world.send(world.tenant.keys.maker, "GET", path);
    expect(refused).toMatchObject(notFound);
  });
});

describe("events", () => {
  it("go only to the endpoints of the order's own book", async () => {
    const theirs = await world.send<TestSink>(neighbour.keys.admin, "POST", "/v1/test-sinks", { body: {} });
    const endpoint = { url: theirs.body.url, eventTypes: ["*"] };
    await world.send(neighbour.keys.admin, "POST", "/v1/webhook-endpoints", { body: endpoint });
    await world.comesToRest((await payer.pays(usd("1.00"))).id);
    const deliveries = await world.send(
      neighbour.keys.admin,
      "GET",
      `/v1/test-sinks/${theirs.body.id}/requests`,
    );
    expect(deliveries.body["data"]).toEqual([]);
  });
});
