import { beforeEach, describe, expect, it, vi } from "vitest";
import { GetOrder } from "../../../contracts/messages/orders.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { anOrder } from "../../../test/stack/orders/an-order.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { revokeKey } from "../keys/revoke-key.ts";
import { reactivateTenant, suspendTenant } from "../tenants/suspend-tenant.ts";
import { mintKey } from "./api-key.ts";

const gateway = await forThisFile(startGateway({ TRUSTED_PROXIES: "127.0.0.1" }));
beforeEach(() => gateway.owner(GetOrder, ({ data }) => anOrder({ id: data.id })));

const path = "/v1/payment-orders/po_01jd3k5s8ye9v8z2r0q3m7n4xa";
const read = (key?: string, headers: Record<string, string> = {}) =>
  gateway.call("GET", path, { ...(key === undefined ? {} : { key }), headers });

describe("a request", () => {
  it("speaks for the principal, tenant and book of its key", async () => {
    const callers: object[] = [];
    await gateway.owner(GetOrder, ({ caller, data }) => {
      callers.push(caller);
      return anOrder({ id: data.id });
    });
    const test = await gateway.issue({ principal: "ana" });
    const live = await gateway.issue({ principal: "ana", mode: "Live" });
    const first = await read(test.key);
    await read(live.key);
    expect(first.status).toBe(200);
    expect(callers).toMatchObject([
      {
        tenant: gateway.tenant,
        mode: "Test",
        principal: "ana",
        requestId: first.headers.get("x-request-id"),
      },
      { tenant: gateway.tenant, mode: "Live", principal: "ana" },
    ]);
    const [inTest, inLive] = callers as { book: string }[];
    expect(inTest?.book).not.toBe(inLive?.book);
  });

  it("without a key gets api_key_missing", async () => {
    expect((await read()).body).toMatchObject({ status: 401, code: "api_key_missing" });
    expect((await read("")).body).toMatchObject({ status: 401, code: "api_key_missing" });
  });

  it("with its key in Authorization learns which header to use", async () => {
    const { key } = await gateway.issue();
    const headers = { authorization: `Bearer ${key}` };
    expect((await gateway.call("GET", "/v1/payment-orders", { headers })).body).toMatchObject({
      code: "api_key_missing",
      detail: "Send your API key in the X-API-Key header, not in Authorization.",
    });
  });

  it("with an invalid key gets the same answer for every reason", async () => {
    const revoked = await gateway.issue();
    await gateway.units.run((unit) => revokeKey(unit, revoked.id));
    const expired = await gateway.issue({ expiresAt: new Date(Date.now() - 1_000) });
    const answers = await Promise.all(
      ["nonsense", mintKey("Test"), revoked.key, expired.key].map((key) => read(key)),
    );
    const answered = answers.map(({ status, body }) => ({ status, code: body.code, detail: body.detail }));
    expect(new Set(answered.map((what) => JSON.stringify(what)))).toEqual(
      new Set([
        JSON.stringify({
          status: 401,
          code: "api_key_invalid",
          detail: "Send a valid API key in the X-API-Key header.",
        }),
      ]),
    );
  });

  it("needs the scope of its route, and the refusal names the scope", async () => {
    const { key } = await gateway.issue({ scopes: ["ledger:read"] });
    expect((await read(key)).body).toMatchObject({
      status: 403,
      code: "insufficient_scope",
      requiredScope: "orders:read",
    });
  });

  it("must come from an address on the key's allowlist, as our own proxy reports it", async () => {
    const { key } = await gateway.issue({ ipAllowlist: ["203.0.113.0/24"] });
    expect((await read(key)).body.code).toBe("ip_not_allowed");
    expect((await read(key, { "x-forwarded-for": "203.0.113.9" })).status).toBe(200);
    expect((await read(key, { "x-forwarded-for": "203.0.113.9, 198.51.100.1" })).body.code).toBe(
      "ip_not_allowed",
    );
  });

  it("must come from an address that our proxy can name, even if the allowlist has the proxy", async () => {
    const { key } = await gateway.issue({ ipAllowlist: ["127.0.0.1"] });
    expect((await read(key, { "x-forwarded-for": "127.0.0.1:4711" })).status).toBe(200);
    expect((await read(key, { "x-forwarded-for": "unknown" })).body.code).toBe("ip_not_allowed");
  });

  it("is authenticated before its body is read", async () => {
    const answer = await gateway.call("POST", "/v1/payment-orders", { raw: "{ broken" });
    expect(answer.body.code).toBe("api_key_missing");
  });

  it("needs a test key to simulate", async () => {
    const { key } = await gateway.issue({ mode: "Live" });
    const answer = await gateway.call("POST", "/v1/simulations/payment-orders/po_x/settle", { key });
    expect(answer.body).toMatchObject({ status: 403, code: "simulation_requires_test_key" });
  });
});

describe("a suspended tenant", () => {
  it("is refused, until it is reactivated", async () => {
    const { key } = await gateway.issue();
    await gateway.units.run((unit) => suspendTenant(unit, gateway.tenant));
    await expect
      .poll(async () => (await read(key)).body)
      .toMatchObject({ status: 401, code: "tenant_inactive" });
    await gateway.units.run((unit) => reactivateTenant(unit, gateway.tenant));
    await expect.poll(async () => (await read(key)).status).toBe(200);
  });

  it("is published once for each of its books", async () => {
    const said = () =>
      gateway.database.sql<{ message: string }>(
        "select message from outbox where subject like '%tenant-status%' order by message_id",
      );
    const before = (await said()).length;
    expect(await gateway.units.run((unit) => suspendTenant(unit, gateway.tenant))).toBe(true);
    expect(await gateway.units.run((unit) => suspendTenant(unit, gateway.tenant))).toBe(false);
    expect(await gateway.units.run((unit) => reactivateTenant(unit, gateway.tenant))).toBe(true);
    const messages = (await said())
      .slice(before)
      .map(({ message }) => JSON.parse(message) as { data: { active: boolean }; book: string });
    expect(messages.map((message) => message.data.active)).toEqual([false, false, true, true]);
    expect(new Set(messages.map((message) => message.book)).size).toBe(2);
  });
});

describe("a revoked key", () => {
  // A pause of the whole machine may exceed the bound; a cache that is waited for exceeds it each time.
  it("stops working at once, even if the gateway has just cached it", { retry: 2 }, async () => {
    const { id, key } = await gateway.issue();
    expect((await read(key)).status).toBe(200);
    await gateway.units.run((unit) => revokeKey(unit, id));
    // Sooner than the second for which it would be cached.
    await vi.waitFor(async () => expect((await read(key)).status).toBe(401), { timeout: 900, interval: 10 });
  });
});

describe("the gateway's own role", () => {
  it("can't change a key's rights, nor delete a key", async () => {
    const { sql } = gateway.database;
    await expect(sql("update api_key set scopes = '{simulate}'")).rejects.toThrow("permission denied");
    await expect(sql("delete from api_key")).rejects.toThrow("permission denied");
    await expect(sql("update tenant set name = 'x'")).rejects.toThrow("permission denied");
  });

  it("stores no key in clear", async () => {
    const { key } = await gateway.issue();
    const rows = await gateway.database.sql("select * from api_key");
    expect(JSON.stringify(rows)).not.toContain(key.slice(8, 40));
  });
});
