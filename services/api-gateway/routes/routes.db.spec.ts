import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { json } from "node:stream/consumers";
import { beforeEach, describe, expect, it } from "vitest";
import { Refusal } from "../../../contracts/errors.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import { ListLedgerEntries } from "../../../contracts/messages/ledger.ts";
import { CancelOrder, CreateOrder, GetOrder, ListOrders } from "../../../contracts/messages/orders.ts";
import { SimulateInstruction } from "../../../contracts/messages/rails.ts";
import { RetryDelivery } from "../../../contracts/messages/webhooks.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { anOrder } from "../../../test/stack/orders/an-order.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";

const gateway = await forThisFile(startGateway());
const { key } = await gateway.issue();

const orders = "/v1/payment-orders";
const id = newId("po");
const body = {
  direction: "Credit",
  rail: "Ach",
  amountCents: 1250,
  ledgerAccountName: "Operating",
  counterpartyName: "Blue Freight",
  counterpartyAccountNumber: "000123456789",
  counterpartyRoutingNumber: "021000021",
};
const post = (
  path: string,
  more: { body?: unknown; raw?: string | Buffer; headers?: Record<string, string> } = {},
) => gateway.call("POST", path, { key, ...more });
const get = (path: string) => gateway.call("GET", path, { key });

describe("creating a payment order", () => {
  it("answers 201 with the order, its Location and the request's id", async () => {
    const order = anOrder();
    await gateway.owner(CreateOrder, () => order);
    const answer = await post(orders, { body });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual(order);
    expect(answer.headers.get("location")).toBe(`/v1/payment-orders/${order.id}`);
    expect(answer.headers.get("x-request-id")).toMatch(/^req_[0-9a-z]{26}$/);
    expect(answer.headers.get("idempotent-replayed")).toBeNull();
  });

  it("encrypts the account number before it leaves the gateway", async () => {
    let received: unknown;
    await gateway.owner(CreateOrder, (question) => {
      received = question.data;
      return anOrder();
    });
    await post(orders, { body });
    expect(received).toMatchObject({ counterpartyAccountNumber: { keyId: "k1", last4: "6789" } });
    expect(JSON.stringify(received)).not.toContain("000123456789");
  });

  it("binds the Idempotency-Key to the body's content, not to its formatting", async () => {
    const received: unknown[] = [];
    await gateway.owner(CreateOrder, ({ idempotency }) => {
      received.push(idempotency);
      return anOrder();
    });
    const headers = { "idempotency-key": "invoice 7" };
    const reordered = JSON.stringify(Object.fromEntries(Object.entries(body).reverse()), null, 2);
    await post(orders, { body, headers });
    await post(orders, { raw: reordered, headers });
    await post(orders, { body: { ...body, amountCents: 1251 }, headers });
    await post(orders, { body });
    const [first, second, third, fourth] = received as { key: string; fingerprint: string }[];
    expect(first?.key).toBe("invoice 7");
    expect(second).toEqual(first);
    expect(third?.fingerprint).not.toBe(first?.fingerprint);
    expect(fourth).toBeUndefined();
  });

  it("marks a replay of the first answer", async () => {
    await gateway.owner(CreateOrder, () => ({ replayed: anOrder() }));
    const answer = await post(orders, { body, headers: { "idempotency-key": "k" } });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("idempotent-replayed")).toBe("true");
  });

  it.each([["é"], ["a".repeat(256)], [""]])("refuses the Idempotency-Key %j", async (text) => {
    const answer = await post(orders, { body, headers: { "idempotency-key": text } });
    expect(answer.body).toMatchObject({ status: 400, code: "invalid_idempotency_key" });
  });

  it("refuses a repeated Idempotency-Key, which would count as another key", async () => {
    const headers = { "x-api-key": key, "idempotency-key": ["k", "k"], "content-type": "application/json" };
    const sent = request(gateway.url + orders, { method: "POST", headers });
    sent.end(JSON.stringify(body));
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    expect([answer.statusCode, await json(answer)]).toMatchObject([400, { code: "invalid_idempotency_key" }]);
  });
});

describe("Prefer: wait", () => {
  beforeEach(() => gateway.owner(CreateOrder, () => anOrder({ status: "Submitted" })));
  const wait = { prefer: "wait=5" };

  it.each([
    ["Ach", "Completed"],
    ["Wire", "Pending"],
    ["Book", "Completed"],
  ])("delays the answer until a %s order is %s", async (rail, status) => {
    const onTheWay = status === "Completed" ? ["Submitted", "Processing"] : ["Submitted", "Submitted"];
    const ahead = [...onTheWay, status, "Failed"];
    await gateway.owner(CreateOrder, () => anOrder({ rail, status: "Submitted" }));
    await gateway.owner(GetOrder, ({ data }) => anOrder({ id: data.id, rail, status: ahead.shift() }));
    const answer = await post(orders, { body, headers: wait });
    expect(answer).toMatchObject({ status: 201, body: { status: status } });
    expect(answer.headers.get("preference-applied")).toBe("wait=5");
  });

  it("ends after its seconds, with the order as it is", async () => {
    await gateway.owner(GetOrder, ({ data }) => anOrder({ id: data.id, status: "Submitted" }));
    const startedAt = performance.now();
    const answer = await post(orders, { body, headers: { prefer: "wait=1" } });
    expect(answer.body.status).toBe("Submitted");
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(990);
  });

  it("waits until a cancelled order's hold is released", async () => {
    const ahead = ["Pending", "Pending", "Cancelled"];
    await gateway.owner(CancelOrder, ({ data }) => anOrder({ id: data.id, status: "Pending" }));
    await gateway.owner(GetOrder, ({ data }) => anOrder({ id: data.id, status: ahead.shift() }));
    expect((await post(`${orders}/${id}/cancel`, { headers: wait })).body.status).toBe("Cancelled");
  });

  it("never turns a successful write into a refusal", async () => {
    await gateway.owner(GetOrder, () => {
      throw new Refusal("service_unavailable", "Send it again.");
    });
    const answer = await post(orders, { body, headers: { prefer: "wait=1" } });
    expect(answer.status).toBe(201);
  });
});

describe("a read of one order", () => {
  it("asks what the caller's own approval would come to, by the scopes of its key", async () => {
    const asked: unknown[] = [];
    await gateway.owner(GetOrder, ({ data }) => {
      asked.push(data);
      return anOrder({ id: data.id });
    });
    const reader = await gateway.issue({ scopes: ["orders:read"] });
    await get(`${orders}/${id}`);
    await gateway.call("GET", `${orders}/${id}`, { key: reader.key });
    expect(asked).toEqual([
      { id, mayApprove: true },
      { id, mayApprove: false },
    ]);
  });
});

describe("a list", () => {
  it("passes its filters to the owner, and links the next page with them", async () => {
    let received: unknown;
    await gateway.owner(ListOrders, ({ data }) => {
      received = data;
      return { data: [anOrder()], nextCursor: "c2", hasMore: true };
    });
    const answer = await get(`${orders}?status=Pending&status=Failed&limit=1`);
    expect(received).toEqual({ limit: 1, status: ["Pending", "Failed"] });
    expect(answer.body).toMatchObject({ nextCursor: "c2", hasMore: true });
    expect(answer.headers.get("link")).toBe(
      '</v1/payment-orders?status=Pending&status=Failed&limit=1&cursor=c2>; rel="next"',
    );
  });

  it("of entries is a bare array, with its cursor only in Link", async () => {
    await gateway.owner(ListLedgerEntries, () => ({ data: [], nextCursor: "c2", hasMore: true }));
    const answer = await get("/v1/ledger-accounts/la_x/entries?status=Posted");
    expect(answer.body).toEqual([]);
    expect(answer.headers.get("link")).toBe(
      '</v1/ledger-accounts/la_x/entries?status=Posted&cursor=c2>; rel="next"',
    );
  });

  it("refuses an unknown parameter", async () => {
    expect((await get(`${orders}?colour=red`)).body).toMatchObject({
      status: 400,
      code: "unknown_parameter",
    });
  });
});

describe("an action", () => {
  it("needs no body, with or without a content type", async () => {
    await gateway.owner(CancelOrder, ({ data }) => anOrder({ id: data.id }));
    expect((await post(`${orders}/${id}/cancel`)).status).toBe(200);
    expect((await post(`${orders}/${id}/cancel`, { raw: "" })).status).toBe(200);
    expect((await post(`${orders}/${id}/cancel`, { body: { reason: "typo" } })).status).toBe(200);
    expect((await post(`${orders}/${id}/cancel`, { body: { why: "typo" } })).body.code).toBe("unknown_field");
  });

  it("on a delivery answers 202, because the attempt follows later", async () => {
    await gateway.owner(RetryDelivery, () => {
      throw new Refusal("not_found", "Check the id.");
    });
    expect((await post("/v1/webhooks/wh_x/retry")).status).toBe(404);
  });

  it("of a simulation is sent to rails with its name", async () => {
    await gateway.owner(SimulateInstruction, ({ data }) => ({
      paymentOrderId: data.orderId,
      action: data.action,
      code: data.code ?? null,
      effect: "Kept" as const,
    }));
    const answer = await post("/v1/simulations/payment-orders/po_x/late-return", { body: { code: "R01" } });
    expect(answer.body).toEqual({
      paymentOrderId: "po_x",
      action: "late-return",
      code: "R01",
      effect: "Kept",
    });
    expect((await post("/v1/simulations/payment-orders/po_x/explode")).body.code).toBe("route_not_found");
  });
});
