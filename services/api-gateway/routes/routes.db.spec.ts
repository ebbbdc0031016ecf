import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Refusal } from "../../../contracts/errors.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import { ListLedgerEntries } from "../../../contracts/messages/ledger.ts";
import { CancelOrder, CreateOrder, GetOrder, ListOrders } from "../../../contracts/messages/orders.ts";
import { SimulateInstruction } from "../../../contracts/messages/rails.ts";
import { RetryDelivery } from "../../../contracts/messages/webhooks.ts";
import { anOrder, startGateway, type TestGateway } from "../../../test/stack/gateway.ts";

let gateway: TestGateway;
let key: string;
beforeAll(async () => {
  gateway = await startGateway();
  ({ key } = await gateway.issue());
});
afterAll(() => gateway.close());

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
  it("answers 201 with the order, its place and the request's id", async () => {
    const order = anOrder();
    await gateway.owner(CreateOrder, () => order);
    const answer = await post(orders, { body });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual(order);
    expect(answer.headers.get("location")).toBe(`/v1/payment-orders/${order.id}`);
    expect(answer.headers.get("x-request-id")).toMatch(/^req_[0-9a-z]{26}$/);
    expect(answer.headers.get("idempotent-replayed")).toBeNull();
  });

  it("lets the account number leave the gateway sealed only", async () => {
    let asked: unknown;
    await gateway.owner(CreateOrder, (question) => {
      asked = question.data;
      return anOrder();
    });
    await post(orders, { body });
    expect(asked).toMatchObject({ counterpartyAccountNumber: { keyId: "k1", last4: "6789" } });
    expect(JSON.stringify(asked)).not.toContain("000123456789");
  });

  it("binds the Idempotency-Key to the body, not to how it is written", async () => {
    const asked: unknown[] = [];
    await gateway.owner(CreateOrder, ({ idempotency }) => {
      asked.push(idempotency);
      return anOrder();
    });
    const headers = { "idempotency-key": "invoice 7" };
    const reordered = JSON.stringify(Object.fromEntries(Object.entries(body).reverse()), null, 2);
    await post(orders, { body, headers });
    await post(orders, { raw: reordered, headers });
    await post(orders, { body: { ...body, amountCents: 1251 }, headers });
    await post(orders, { body });
    const [first, second, third, fourth] = asked as { key: string; fingerprint: string }[];
    expect(first?.key).toBe("invoice 7");
    expect(second).toEqual(first);
    expect(third?.fingerprint).not.toBe(first?.fingerprint);
    expect(fourth).toBeUndefined();
  });

  it("says when the first answer came again", async () => {
    await gateway.owner(CreateOrder, () => ({ replayed: anOrder() }));
    const answer = await post(orders, { body, headers: { "idempotency-key": "k" } });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("idempotent-replayed")).toBe("true");
  });

  it.each([["é"], ["a".repeat(256)], [""]])("refuses the Idempotency-Key %j", async (text) => {
    const answer = await post(orders, { body, headers: { "idempotency-key": text } });
    expect(answer.body).toMatchObject({ status: 400, code: "invalid_idempotency_key" });
  });
});

describe("Prefer: wait", () => {
  beforeEach(() => gateway.owner(CreateOrder, () => anOrder({ status: "Submitted" })));
  const wait = { prefer: "wait=5" };

  it.each([
    ["Ach", "Completed"],
    ["Wire", "Pending"],
    ["Book", "Completed"],
  ])("holds the answer until a %s order rests in %s", async (rail, resting) => {
    const onTheWay = resting === "Completed" ? ["Submitted", "Processing"] : ["Submitted", "Submitted"];
    const ahead = [...onTheWay, resting, "Failed"];
    await gateway.owner(CreateOrder, () => anOrder({ rail, status: "Submitted" }));
    await gateway.owner(GetOrder, ({ data }) => anOrder({ id: data.id, rail, status: ahead.shift() }));
    const answer = await post(orders, { body, headers: wait });
    expect(answer.status).toBe(201);
    expect(answer.body.status).toBe(resting);
    expect(answer.headers.get("preference-applied")).toBe("wait=5");
  });

  it("is over when the seconds are, and the order comes as it stands", async () => {
    await gateway.owner(GetOrder, ({ data }) => anOrder({ id: data.id, status: "Submitted" }));
    const startedAt = performance.now();
    const answer = await post(orders, { body, headers: { prefer: "wait=1" } });
    expect(answer.body.status).toBe("Submitted");
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(990);
  });

  it("waits for a cancelled order's hold to be given back", async () => {
    const ahead = ["Pending", "Pending", "Cancelled"];
    await gateway.owner(CancelOrder, ({ data }) => anOrder({ id: data.id, status: "Pending" }));
    await gateway.owner(GetOrder, ({ data }) => anOrder({ id: data.id, status: ahead.shift() }));
    expect((await post(`${orders}/${id}/cancel`, { headers: wait })).body.status).toBe("Cancelled");
  });

  it("never turns a write that stands into a refusal", async () => {
    await gateway.owner(GetOrder, () => {
      throw new Refusal("service_unavailable", "Send it again.");
    });
    const answer = await post(orders, { body, headers: { prefer: "wait=1" } });
    expect(answer.status).toBe(201);
  });
});

describe("a list", () => {
  it("carries its filters to the owner and links the next page with them", async () => {
    let asked: unknown;
    await gateway.owner(ListOrders, ({ data }) => {
      asked = data;
      return { data: [anOrder()], nextCursor: "c2", hasMore: true };
    });
    const answer = await get(`${orders}?status=Pending&status=Failed&limit=1`);
    expect(asked).toEqual({ limit: 1, status: ["Pending", "Failed"] });
    expect(answer.body).toMatchObject({ nextCursor: "c2", hasMore: true });
    expect(answer.headers.get("link")).toBe(
      '</v1/payment-orders?status=Pending&status=Failed&limit=1&cursor=c2>; rel="next"',
    );
  });

  it("of entries is a bare array, its cursor only in Link", async () => {
    await gateway.owner(ListLedgerEntries, () => ({ data: [], nextCursor: "c2", hasMore: true }));
    const answer = await get("/v1/ledger-accounts/la_x/entries?status=Posted");
    expect(answer.body).toEqual([]);
    expect(answer.headers.get("link")).toBe(
      '</v1/ledger-accounts/la_x/entries?status=Posted&cursor=c2>; rel="next"',
    );
  });

  it("refuses a parameter that it doesn't know", async () => {
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

  it("of a delivery is taken for later: 202", async () => {
    await gateway.owner(RetryDelivery, () => {
      throw new Refusal("not_found", "Check the id.");
    });
    expect((await post("/v1/webhooks/wh_x/retry")).status).toBe(404);
  });

  it("of a simulation goes to rails with its name", async () => {
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
