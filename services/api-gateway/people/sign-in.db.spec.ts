import { beforeEach, describe, expect, it } from "vitest";
import { GetOrder } from "../../../contracts/messages/orders.ts";
import { anOrder } from "../../../test/stack/orders/an-order.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { inviteTo, ownPage, type Seat, sitDown } from "../../../test/stack/people/people.ts";

const gateway = await forThisFile(startGateway({ DEMO_SIGN_IN: "true" }));
const invite = inviteTo(gateway);
beforeEach(() => gateway.owner(GetOrder, ({ data }) => anOrder({ id: data.id })));

const order = "/v1/payment-orders/po_01jd3k5s8ye9v8z2r0q3m7n4xa";
const read = (seat: Seat, headers: Record<string, string> = {}) =>
  gateway.call("GET", order, { headers: { ...seat.headers, ...headers } });
const codeOf = async (answered: ReturnType<typeof read>) => (await answered).body.code;

describe("a sign-in", () => {
  it("starts a session, and answers who the person is", async () => {
    const rosa = await invite({ principal: "rosa", roles: { Test: ["Maker"], Live: ["Viewer"] } });
    const answer = await gateway.call("POST", "/auth/sign-in", {
      body: { email: rosa.email.toUpperCase(), password: rosa.password },
      headers: ownPage(gateway),
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      principal: "rosa",
      mode: "Test",
      scopes: [
        "orders:read",
        "orders:write",
        "ledger:read",
        "ledger:write",
        "webhooks:read",
        "counterparties:write",
      ],
      tenant: { id: gateway.tenant, name: "Acme Freight" },
      person: { id: rosa.id, email: rosa.email, roles: { Test: ["Maker"], Live: ["Viewer"] } },
      apiKeyId: null,
    });
    expect(answer.headers.get("set-cookie")).toMatch(
      /^__Host-session=[A-Za-z0-9_-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
    );
  });

  it("stores neither the password nor the cookie", async () => {
    const person = await invite();
    const seat = await sitDown(gateway, person);
    const rows = JSON.stringify(
      await gateway.database.sql("select to_jsonb(s) as s, to_jsonb(p) as p from session s, person p"),
    );
    expect(rows).not.toContain(person.password);
    expect(rows).not.toContain(seat.token);
  });

  it("fails with one text for an unknown email, a wrong password, and too many failures, and takes as long", async () => {
    const person = await invite();
    const attempt = async (email: string, password: string, tenant?: string) => {
      const began = performance.now();
      const { status, body } = await gateway.call("POST", "/auth/sign-in", {
        body: { email, password, tenant },
        headers: ownPage(gateway),
      });
      return { answer: { status, code: body.code, detail: body.detail }, ms: performance.now() - began };
    };
    const failures = [await attempt("nobody@example.com", "wrong"), await attempt(person.email, "wrong")];
    await Promise.all(Array.from({ length: 9 }, () => attempt(person.email, "wrong", person.tenant)));
    failures.push(await attempt(person.email, person.password));
    expect(new Set(failures.map(({ answer }) => JSON.stringify(answer))).size).toBe(1);
    expect(failures[0]?.answer).toMatchObject({ status: 401, code: "sign_in_failed" });
    expect(Math.min(...failures.map(({ ms }) => ms))).toBeGreaterThan(390);
    // An hour later the eleventh attempt counts again.
    await gateway.asOwner("alter table gateway.audit disable trigger audit_append_only");
    await gateway.asOwner(
      "update gateway.audit set at = at - interval '61 minutes' where action = 'SignInFailed'",
    );
    await gateway.asOwner("alter table gateway.audit enable always trigger audit_append_only");
    expect((await attempt(person.email, person.password)).answer.status).toBe(200);
  });

  it("never goes on with the cookie that the browser had before", async () => {
    const person = await invite();
    const fixed = `__Host-session=${"A".repeat(43)}`;
    const seat = await sitDown(gateway, person, { cookie: fixed });
    expect(seat.headers["cookie"]).not.toBe(fixed);
    expect(await codeOf(read({ ...seat, headers: { ...seat.headers, cookie: fixed } }))).toBe(
      "session_ended",
    );
    const second = await sitDown(gateway, person, { cookie: seat.headers["cookie"] ?? "" });
    expect(await codeOf(read(seat))).toBe("session_ended");
    expect((await read(second)).status).toBe(200);
  });

  it.each([
    ["from another page", { "sec-fetch-site": "cross-site" }],
    ["without saying from where", { "sec-fetch-site": "" }],
    ["from another origin", { origin: "https://evil.example" }],
    ["from no origin", { origin: "null" }],
  ])("is refused %s", async (_where, headers) => {
    const { email, password } = await invite();
    const answer = await gateway.call("POST", "/auth/sign-in", {
      body: { email, password },
      headers: { ...ownPage(gateway), ...headers },
    });
    expect(answer.body.code).toBe("cross_site_request");
    expect(answer.headers.get("set-cookie")).toBeNull();
  });
});

describe("a demo sign-in", () => {
  it("needs no password, and has no role in Live", async () => {
    await invite({ principal: "demo-ana", isDemo: true, roles: { Test: ["Viewer"], Live: ["Admin"] } });
    const { body: options } = await gateway.call("GET", "/auth/options");
    expect(options).toEqual({
      local: true,
      oidc: [],
      demoPeople: [{ principal: "demo-ana", name: "demo-ana", roles: { Test: ["Viewer"], Live: [] } }],
    });
    const answer = await gateway.call("POST", "/auth/demo-sign-in", {
      body: { principal: "demo-ana" },
      headers: ownPage(gateway),
    });
    expect(answer.body).toMatchObject({
      principal: "demo-ana",
      person: { roles: { Test: ["Viewer"], Live: [] } },
    });
  });

  it("is refused for everybody else", async () => {
    await invite({ principal: "not-demo" });
    const answer = await gateway.call("POST", "/auth/demo-sign-in", {
      body: { principal: "not-demo" },
      headers: ownPage(gateway),
    });
    expect(answer.body.code).toBe("sign_in_failed");
  });

  it("does not exist elsewhere", async () => {
    const plain = await startGateway();
    try {
      const answer = await plain.call("POST", "/auth/demo-sign-in", {
        body: { principal: "demo-ana" },
        headers: ownPage(plain),
      });
      expect(answer.body.code).toBe("route_not_found");
      expect((await plain.call("GET", "/auth/options")).body.demoPeople).toEqual([]);
    } finally {
      await plain.close();
    }
  });
});

describe("the audit log", () => {
  it("only grows", async () => {
    await sitDown(gateway, await invite());
    const { sql } = gateway.database;
    await expect(sql("update audit set action = 'x'")).rejects.toThrow("permission denied");
    await expect(gateway.asOwner("delete from gateway.audit")).rejects.toThrow("append-only");
    await expect(gateway.asOwner("truncate gateway.audit")).rejects.toThrow("append-only");
  });
});
