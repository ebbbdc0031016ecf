import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApprovalPolicy, PolicyProposal } from "../../contracts/http/payments/approval-policies.ts";
import type { Counterparty } from "../../contracts/http/payments/counterparties.ts";
import type { LedgerAccount } from "../../contracts/http/ledger/ledger-accounts.ts";
import type { PaymentOrder } from "../../clients/typescript/types.gen.ts";
import type { TestSink, WebhookDelivery } from "../../contracts/http/webhooks/webhooks.ts";
import { newId } from "../../contracts/ids/ids.ts";
import { type Answer, call, type Call } from "../../scripts/local/api.ts";
import type { SeededTenant } from "../../scripts/local/seed.ts";
import { seedOtherTenant } from "../world/operator.ts";
import { counterpartyOn, type Payer } from "../world/payer.ts";
import { until } from "../stack/until.ts";
import { usd } from "../world/usd.ts";
import { World } from "../world/world.ts";

type List<Item> = { data: Item[]; nextCursor: string | null };

let world: World;
let neighbour: SeededTenant;
/** Resources of Acme, which nobody else may see. */
let payer: Payer;
let order: PaymentOrder;
let waiting: PaymentOrder;
let delivery: WebhookDelivery;
let sink: TestSink;
let counterparty: Counterparty;
let proposalId: string;
beforeAll(async () => {
  world = await World.start();
  neighbour = await seedOtherTenant(world, "Neighbour");
  payer = await world.payerWith(usd("100.00"));
  order = await world.comesToRest((await payer.pays(usd("1.00"))).id);
  waiting = await world.reaches(
    (await payer.pays(usd("1.00"), { rail: "Wire" })).id,
    (seen) => seen.status === "Pending",
  );
  delivery = await until("a delivery of Acme's", async () => {
    const { body } = await world.get<List<WebhookDelivery>>("/v1/webhooks");
    return body.data[0];
  });
  counterparty = (await world.post<Counterparty>("/v1/counterparties", payee)).body;
  const { body: policy } = await world.get<ApprovalPolicy>("/v1/approval-policy");
  const looser = await send(world.tenant.keys.admin, {
    method: "PUT",
    path: "/v1/approval-policy",
    body: { ...policy, dualApprovalRails: [] },
  });
  proposalId = String(looser.body["proposalId"]);
  sink = (await world.post<TestSink>("/v1/test-sinks", {})).body;
});
afterAll(() => world.stop());

const account = { rail: "Rtp", accountNumber: "000123456789", routingNumber: "790001005" };
const payee = { name: "Ada Example", type: "Business", accounts: [account] };

/** Two books that are not Acme's Test book: another tenant's, and Acme's own Live one. */
const strangers = [
  { stranger: "another tenant", keyOf: () => neighbour.keys.admin },
  { stranger: "the tenant's own Live book", keyOf: () => world.tenant.keys.live },
];

const send = (key: string, request: Omit<Call, "key">) => call(world.baseUrl(), { ...request, key });

/** The members that two problems about different ids must share. */
function gistOf({ status, body }: Answer): unknown {
  const { instance: _path, requestId: _id, ...gist } = body;
  return { status, gist };
}

describe.each(strangers)("for $stranger", ({ stranger, keyOf }) => {
  it.each([
    {
      what: "an order",
      path: () => `/v1/payment-orders/${order.id}`,
      absent: () => `/v1/payment-orders/${newId("po")}`,
    },
    {
      what: "a counterparty",
      path: () => `/v1/counterparties/${counterparty.id}`,
      absent: () => `/v1/counterparties/${newId("cp")}`,
    },
    {
      what: "an account",
      path: () => `/v1/ledger-accounts/${payer.accountId}`,
      absent: () => `/v1/ledger-accounts/${newId("la")}`,
    },
    {
      what: "an account's entries",
      path: () => `/v1/ledger-accounts/${payer.accountId}/entries`,
      absent: () => `/v1/ledger-accounts/${newId("la")}/entries`,
    },
    {
      what: "a delivery",
      path: () => `/v1/webhooks/${delivery.id}`,
      absent: () => `/v1/webhooks/${newId("wh")}`,
    },
    {
      what: "a sink's requests",
      path: () => `/v1/test-sinks/${sink.id}/requests`,
      absent: () => `/v1/test-sinks/${newId("sink")}/requests`,
    },
  ])("$what looks like one that never was", async ({ path, absent }) => {
    const theirs = await send(keyOf(), { method: "GET", path: path() });
    expect(theirs.status).toBe(404);
    expect(theirs.body["code"]).toBe("not_found");
    const nobodys = await send(keyOf(), { method: "GET", path: absent() });
    expect(gistOf(theirs)).toEqual(gistOf(nobodys));
  });

  it.each(["submit", "approve", "cancel"])("can never %s an order", async (action) => {
    const before = await world.order(waiting.id);
    const refused = await send(keyOf(), {
      method: "POST",
      path: `/v1/payment-orders/${waiting.id}/${action}`,
    });
    expect(refused.status).toBe(404);
    expect(refused.body["code"]).toBe("not_found");
    expect(await world.order(waiting.id)).toEqual(before);
  });

  it.each([
    { what: "replaced", method: "PUT" as const, path: "", body: payee },
    { what: "verified", method: "POST" as const, path: "/verify", body: {} },
  ])("a counterparty can't be $what", async ({ method, path, body }) => {
    const refused = await send(keyOf(), {
      method,
      path: `/v1/counterparties/${counterparty.id}${path}`,
      body,
    });
    expect([refused.status, refused.body["code"]]).toEqual([404, "not_found"]);
    const { body: after } = await world.get<Counterparty>(`/v1/counterparties/${counterparty.id}`);
    expect(after).toEqual(counterparty);
  });

  it.each(["approve", "deny"])("can never %s a policy proposal", async (action) => {
    const refused = await send(keyOf(), {
      method: "POST",
      path: `/v1/approval-policy/proposals/${proposalId}/${action}`,
    });
    expect([refused.status, refused.body["code"]]).toEqual([404, "not_found"]);
    const theirs = await send(keyOf(), { method: "GET", path: "/v1/approval-policy/proposals" });
    expect(theirs.body["data"]).toEqual([]);
    const { body: ours } = await world.get<List<PolicyProposal>>("/v1/approval-policy/proposals");
    expect(ours.data).toMatchObject([{ id: proposalId, status: "Open" }]);
  });

  it("no order can pay a counterparty: the answer is that of one that never existed", async () => {
    const own = await send(keyOf(), {
      method: "POST",
      path: "/v1/ledger-accounts",
      body: { name: `Payer of ${stranger} ${String(performance.now())}` },
    });
    const pay = (counterpartyId: string) =>
      send(keyOf(), {
        method: "POST",
        path: "/v1/payment-orders",
        body: {
          direction: "Credit",
          rail: "Rtp",
          amountCents: 100,
          ledgerAccountId: own.body["id"],
          counterpartyId,
        },
      });
    const [theirs, nobodys] = [await pay(counterparty.id), await pay(newId("cp"))];
    expect([theirs.status, theirs.body["code"]]).toEqual([404, "not_found"]);
    expect(gistOf(theirs)).toEqual(gistOf(nobodys));
  });

  it("a delivery can't be retried", async () => {
    const refused = await send(keyOf(), { method: "POST", path: `/v1/webhooks/${delivery.id}/retry` });
    expect(refused.status).toBe(404);
  });

  it.each([
    { by: "id", member: () => ({ ledgerAccountId: payer.accountId }) },
    { by: "name", member: () => ({ ledgerAccountName: payer.accountName }) },
  ])("no order can draw on an account, named by its $by", async ({ by, member }) => {
    const body = {
      direction: "Credit",
      rail: "Rtp",
      amountCents: 100,
      ...member(),
      ...counterpartyOn("Rtp"),
    };
    const refused = await send(keyOf(), { method: "POST", path: "/v1/payment-orders", body });
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({ code: "ledger_account_not_found" });
    const absent = by === "id" ? { ledgerAccountId: newId("la") } : { ledgerAccountName: "Nobody's" };
    const { ledgerAccountId: _id, ledgerAccountName: _name, ...rest } = body as Record<string, unknown>;
    const made = await send(keyOf(), {
      method: "POST",
      path: "/v1/payment-orders",
      body: { ...rest, ...absent },
    });
    expect(made.body).toMatchObject({
      status: 422,
      code: "ledger_account_not_found",
      title: refused.body["title"],
    });
  });

  it.each([
    { by: "id", named: () => payer.accountId },
    { by: "name", named: () => payer.accountName },
  ])("no book transfer can collect from an account, named by its $by", async ({ named }) => {
    const own = await send(keyOf(), {
      method: "POST",
      path: "/v1/ledger-accounts",
      body: { name: `Own of ${stranger} ${String(performance.now())}` },
    });
    const body = {
      direction: "Debit",
      rail: "Book",
      amountCents: 100,
      ledgerAccountId: own.body["id"],
      counterpartyAccountNumber: named(),
    };
    const refused = await send(keyOf(), { method: "POST", path: "/v1/payment-orders", body });
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({ code: "ledger_account_not_found" });
  });

  it("lists and balances show nothing of Acme, even with Acme's cursors and filters", async () => {
    const first = await world.get<List<PaymentOrder>>("/v1/payment-orders?limit=1");
    const cursor = encodeURIComponent(first.body.nextCursor ?? "");
    const lists = [
      "/v1/payment-orders",
      `/v1/payment-orders?limit=1&cursor=${cursor}`,
      "/v1/webhooks",
      `/v1/webhooks?eventId=${delivery.eventId}`,
      `/v1/webhooks?endpointId=${delivery.endpointId}`,
      "/v1/webhook-endpoints",
      "/v1/counterparties",
    ];
    for (const path of lists) {
      expect([path, (await send(keyOf(), { method: "GET", path })).body["data"]]).toEqual([path, []]);
    }
    for (const path of ["/v1/ledger-accounts?limit=100", "/v1/balances?limit=100"]) {
      const { body } = await send(keyOf(), { method: "GET", path });
      expect(JSON.stringify(body)).not.toContain(payer.accountName);
      expect(JSON.stringify(body)).not.toContain(payer.accountId);
    }
  });

  it("a name that another book uses is free", async () => {
    const made = await send(keyOf(), {
      method: "POST",
      path: "/v1/ledger-accounts",
      body: { name: payer.accountName },
    });
    expect(made.status).toBe(201);
    const own = await call<LedgerAccount>(world.baseUrl(), {
      method: "GET",
      path: `/v1/ledger-accounts/${String(made.body["id"])}`,
      key: keyOf(),
    });
    expect(own.body).toMatchObject({
      postedBalanceCents: 0,
      pendingBalanceCents: 0,
      availableBalanceCents: 0,
    });
    expect((await payer.balance()).posted).toBe(usd("99.00"));
  });
});

describe("for a stranger with a test key", () => {
  it("no outcome of an order can be simulated", async () => {
    const path = `/v1/simulations/payment-orders/${waiting.id}/fail`;
    const refused = await send(neighbour.keys.admin, { method: "POST", path, body: {} });
    expect(refused.status).toBe(404);
    expect(refused.body["code"]).toBe("not_found");
  });

  it("an id is not found under another resource's path", async () => {
    const path = `/v1/payment-orders/${payer.accountId}`;
    const refused = await send(world.tenant.keys.maker, { method: "GET", path });
    expect(refused.status).toBe(404);
    expect(refused.body["code"]).toBe("not_found");
  });
});

describe("events", () => {
  it("go only to the endpoints of the order's own book", async () => {
    const theirs = await call<TestSink>(world.baseUrl(), {
      method: "POST",
      path: "/v1/test-sinks",
      key: neighbour.keys.admin,
      body: {},
    });
    const endpoint = { url: theirs.body.url, eventTypes: ["*"] };
    await send(neighbour.keys.admin, { method: "POST", path: "/v1/webhook-endpoints", body: endpoint });
    await world.comesToRest((await payer.pays(usd("1.00"))).id);
    const deliveries = await send(neighbour.keys.admin, {
      method: "GET",
      path: `/v1/test-sinks/${theirs.body.id}/requests`,
    });
    expect(deliveries.body["data"]).toEqual([]);
  });
});
