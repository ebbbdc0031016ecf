import { describe, expect, it } from "vitest";
import { Refusal } from "../../../contracts/errors.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import { GetBalances } from "../../../contracts/messages/ledger.ts";
import { CreateOrder, GetOrder, ListOrders, UpdateOrder } from "../../../contracts/messages/orders.ts";
import { CreateWebhookEndpoint } from "../../../contracts/messages/webhooks.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { anOrder } from "../../../test/stack/orders/an-order.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { until } from "../../../test/stack/until.ts";
import { listCallersOfVersion } from "../auth/store/version-use.ts";

const guide = "https://docs.quittance.example/migrate/v2";
const gateway = await forThisFile(
  startGateway({
    API_VERSIONS: "v1,v2",
    DEPRECATIONS: JSON.stringify({
      v1: { since: "2027-01-01", sunset: "2028-01-01", guide },
      getBalances: { since: "2026-12-01", guide: `${guide}#balances` },
    }),
  }),
);
const key = (await gateway.issue()).key;

const wish = {
  direction: "Credit",
  rail: "Ach",
  ledgerAccountName: "Operating",
  counterpartyName: "Blue Freight",
  counterpartyAccountNumber: "000123456789",
  counterpartyRoutingNumber: "021000021",
};
const post = (path: string, body: unknown) => gateway.call("POST", path, { key, body });
const get = (path: string) => gateway.call("GET", path, { key });

describe("a payment order in /v2", () => {
  it("has amount and currency in one member, and is created by the same owner", async () => {
    let received: Record<string, unknown> = {};
    await gateway.owner(CreateOrder, ({ data }) => {
      received = data;
      return anOrder({ amountCents: data.amountCents });
    });
    const answer = await post("/v2/payment-orders", { ...wish, amount: { cents: 1_250, currency: "USD" } });
    expect(answer.status).toBe(201);
    expect(received).toMatchObject({ amountCents: 1_250, rail: "Ach", ledgerAccountName: "Operating" });
    expect(received).not.toHaveProperty("amount");
    expect(answer.body).toMatchObject({ amount: { cents: 1_250, currency: "USD" }, status: "Submitted" });
    expect(answer.body).not.toHaveProperty("amountCents");
    expect(answer.headers.get("location")).toBe(`/v2/payment-orders/${String(answer.body["id"])}`);
  });

  it("is unchanged in /v1", async () => {
    await gateway.owner(CreateOrder, ({ data }) => anOrder({ amountCents: data.amountCents }));
    const answer = await post("/v1/payment-orders", { ...wish, amountCents: 1_250 });
    expect(answer).toMatchObject({ status: 201, body: { amountCents: 1_250, currency: "USD" } });
    expect(answer.headers.get("location")).toBe(`/v1/payment-orders/${String(answer.body["id"])}`);
  });

  it.each([
    [
      "the other version's field",
      { amountCents: 1_250 },
      ["/amount missing_field", "/amountCents unknown_field"],
    ],
    ["a float", { amount: { cents: 12.5, currency: "USD" } }, ["/amount/cents invalid_field"]],
    ["no cents", { amount: { currency: "USD" } }, ["/amount/cents missing_field"]],
    ["another currency", { amount: { cents: 1, currency: "EUR" } }, ["/amount/currency invalid_field"]],
    ["more", { amount: { cents: 1, currency: "USD", x: 1 } }, ["/amount/x unknown_field"]],
  ])("is refused with %s, by its own names", async (_what, amount, faults) => {
    const { status, body } = await post("/v2/payment-orders", { ...wish, ...amount });
    expect(status).toBe(400);
    const errors = body["errors"] as { pointer: string; code: string }[];
    expect(errors.map(({ pointer, code }) => `${pointer} ${code}`).sort()).toEqual(faults);
  });

  it("needs its account's name or id, not both, as in /v1", async () => {
    const { ledgerAccountName: _name, ...nameless } = wish;
    const { body } = await post("/v2/payment-orders", { ...nameless, amount: { cents: 1, currency: "USD" } });
    expect(body).toMatchObject({ code: "missing_field", errors: [{ pointer: "/ledgerAccountName" }] });
  });

  it("is updated and read with the same members, alone and in lists", async () => {
    let received: Record<string, unknown> = {};
    await gateway.owner(UpdateOrder, ({ data }) => {
      received = data;
      return anOrder({ status: "Draft" });
    });
    await gateway.owner(GetOrder, () => anOrder());
    await gateway.owner(ListOrders, () => ({ data: [anOrder()], nextCursor: "c2", hasMore: true }));
    const change = { amount: { cents: 99, currency: "USD" } };
    const changed = await gateway.call("PATCH", "/v2/payment-orders/po_x", { key, body: change });
    expect(received).toMatchObject({ amountCents: 99 });
    expect(changed.body).toMatchObject({ amount: { cents: 1_250, currency: "USD" } });
    expect((await get("/v2/payment-orders/po_x")).body).toMatchObject({ amount: { cents: 1_250 } });
    const page = await get("/v2/payment-orders?limit=1");
    expect(page.body["data"]).toMatchObject([{ amount: { cents: 1_250, currency: "USD" } }]);
    expect(page.headers.get("link")).toBe('</v2/payment-orders?limit=1&cursor=c2>; rel="next"');
  });

  it("has pointers of this version in an owner's refusal", async () => {
    await gateway.owner(CreateOrder, () => {
      throw new Refusal("amount_above_rail_limit", "Use another rail.", {
        errors: [{ pointer: "/amountCents", code: "amount_above_rail_limit", message: "is too much" }],
      });
    });
    const { body } = await post("/v2/payment-orders", { ...wish, amount: { cents: 1, currency: "USD" } });
    expect(body).toMatchObject({ status: 422, errors: [{ pointer: "/amount/cents" }] });
  });
});

describe("an operation that a version does not change", () => {
  it("is in both versions, with the same scope and refusals", async () => {
    const reader = (await gateway.issue({ scopes: ["orders:read"] })).key;
    expect((await gateway.call("GET", "/v2/balances")).body["code"]).toBe("api_key_missing");
    const { body } = await gateway.call("GET", "/v2/balances", { key: reader });
    expect(body).toMatchObject({ code: "insufficient_scope", instance: "/v2/balances" });
    expect((await get("/v2/nothing")).body["code"]).toBe("route_not_found");
    const wrong = await gateway.call("DELETE", "/v2/payment-orders", { key });
    expect(wrong.body["code"]).toBe("method_not_allowed");
  });

  it("is in the version's own document", async () => {
    const { body } = await gateway.call("GET", "/v2/openapi.json");
    expect(body).toMatchObject({ info: { version: "v2" } });
    expect(Object.keys(body["paths"] as object).every((path) => path.startsWith("/v2/"))).toBe(true);
  });
});

it("pins a webhook endpoint to the version that created it", async () => {
  const pinned: unknown[] = [];
  await gateway.owner(CreateWebhookEndpoint, ({ data }) => {
    pinned.push(data.apiVersion);
    return {
      id: newId("we"),
      url: data.url,
      eventTypes: [],
      description: null,
      metadata: {},
      apiVersion: data.apiVersion ?? "v1",
      status: "Enabled" as const,
      createdAt: "2026-03-02T15:00:00.000Z",
      signingSecret: "whsec_x",
    };
  });
  await post("/v1/webhook-endpoints", { url: "https://hooks.example/1" });
  await post("/v2/webhook-endpoints", { url: "https://hooks.example/2" });
  expect(pinned).toEqual(["v1", "v2"]);
});

describe("a deprecated version", () => {
  it("has Deprecation, Sunset and Link headers in every answer, refusals too", async () => {
    await gateway.owner(GetOrder, () => anOrder());
    for (const answer of [
      await get("/v1/payment-orders/po_x"),
      await gateway.call("GET", "/v1/payment-orders"),
    ]) {
      expect(answer.headers.get("deprecation")).toBe("@1798761600");
      expect(answer.headers.get("sunset")).toBe("Sat, 01 Jan 2028 00:00:00 GMT");
      expect(answer.headers.get("link")).toBe(`<${guide}>; rel="deprecation"; type="text/html"`);
    }
  });

  it("keeps the link to the next page beside the migration guide", async () => {
    await gateway.owner(ListOrders, () => ({ data: [anOrder()], nextCursor: "c2", hasMore: true }));
    expect((await get("/v1/payment-orders?limit=1")).headers.get("link")).toBe(
      `<${guide}>; rel="deprecation"; type="text/html", </v1/payment-orders?limit=1&cursor=c2>; rel="next"`,
    );
  });

  it("leaves the other version without these headers", async () => {
    await gateway.owner(GetOrder, () => anOrder());
    const answer = await get("/v2/payment-orders/po_x");
    expect([answer.headers.get("deprecation"), answer.headers.get("link")]).toEqual([null, null]);
  });

  it("can be a single operation, in any version", async () => {
    await gateway.owner(GetBalances, () => {
      throw new Refusal("not_found", "There is nothing.");
    });
    const answer = await get("/v2/balances");
    expect(answer.headers.get("deprecation")).toBe("@1796083200");
    expect(answer.headers.get("sunset")).toBeNull();
    expect(answer.headers.get("link")).toContain("#balances");
  });

  it("is marked in its document", async () => {
    const operationOf = async (version: string) => {
      const { body } = await gateway.call("GET", `/${version}/openapi.json`);
      const paths = body["paths"] as Record<string, Record<string, { deprecated?: boolean }>>;
      return [
        paths[`/${version}/payment-orders`]?.["post"]?.deprecated,
        paths[`/${version}/balances`]?.["get"]?.deprecated,
      ];
    };
    expect(await operationOf("v1")).toEqual([true, true]);
    expect(await operationOf("v2")).toEqual([undefined, true]);
  });
});

it("refuses to start when DEPRECATIONS names a version that is not served", async () => {
  const DEPRECATIONS = JSON.stringify({ v3: { since: "2027-01-01", guide } });
  await expect(startGateway({ DEPRECATIONS })).rejects.toThrow(
    "DEPRECATIONS names versions or operations that are not served: v3",
  );
});

it("counts the callers of each version", async () => {
  const other = await startGateway({ API_VERSIONS: "v1,v2" });
  try {
    const test = (await other.issue()).key;
    const live = (await other.issue({ mode: "Live" })).key;
    for (const path of ["/v1/balances", "/v1/balances", "/v2/balances"]) {
      await other.call("GET", path, { key: test });
    }
    await other.call("GET", "/v1/balances", { key: live });
    await other.call("GET", "/v1/balances"); // without a key, so nobody is counted
    const since = "2020-01-01";
    const seen = async (version: string) =>
      (await listCallersOfVersion(other.database.sql, { version, since }))
        .map((use) => `${use.name} ${use.mode} ${use.version} ${String(use.requests)}`)
        .sort();
    const counted = async () => {
      const uses = await listCallersOfVersion(other.database.sql, { version: null, since });
      return uses.reduce((sum, { requests }) => sum + requests, 0);
    };
    await until(async () => (await counted()) === 4);
    expect(await seen("v1")).toEqual(["Acme Freight Live v1 1", "Acme Freight Test v1 2"]);
    expect(await seen("v2")).toEqual(["Acme Freight Test v2 1"]);
  } finally {
    await other.close();
  }
});
