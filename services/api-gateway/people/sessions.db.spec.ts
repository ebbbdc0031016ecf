import { beforeEach, describe, expect, it } from "vitest";
import { GetOrder } from "../../../contracts/messages/orders.ts";
import { anOrder } from "../../../test/stack/orders/an-order.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { inviteTo, type Seat, sitDown } from "../../../test/stack/people/people.ts";
import { suspendTenant, reactivateTenant } from "../tenants/suspend-tenant.ts";

const gateway = await forThisFile(startGateway());
const invite = inviteTo(gateway);
beforeEach(() => gateway.owner(GetOrder, ({ data }) => anOrder({ id: data.id })));

const order = "/v1/payment-orders/po_01jd3k5s8ye9v8z2r0q3m7n4xa";
const read = (seat: Seat, headers: Record<string, string> = {}) =>
  gateway.call("GET", order, { headers: { ...seat.headers, ...headers } });
const codeOf = async (answered: ReturnType<typeof read>) => (await answered).body.code;

describe("a request with a session", () => {
  it("speaks for the person's principal in the book that its header names", async () => {
    const callers: object[] = [];
    await gateway.owner(GetOrder, ({ caller, data }) => {
      callers.push(caller);
      return anOrder({ id: data.id });
    });
    const seat = await sitDown(
      gateway,
      await invite({ principal: "ida", roles: { Test: ["Viewer"], Live: ["Viewer"] } }),
    );
    await read(seat);
    await read(seat, { "quittance-mode": "Live" });
    const { key } = await gateway.issue({ principal: "ida" });
    await gateway.call("GET", order, { key });
    const [test, live, byKey] = callers as { book: string }[];
    expect(test).toMatchObject({ tenant: gateway.tenant, mode: "Test", principal: "ida" });
    expect(live).toMatchObject({ tenant: gateway.tenant, mode: "Live", principal: "ida" });
    expect(live?.book).not.toBe(test?.book);
    expect({ ...byKey, requestId: "" }).toEqual({ ...test, requestId: "" });
  });

  it("needs the mode, and a role in it", async () => {
    const seat = await sitDown(gateway, await invite({ roles: { Test: ["Viewer"], Live: [] } }));
    const { "quittance-mode": _mode, ...without } = seat.headers;
    expect((await gateway.call("GET", order, { headers: without })).body).toMatchObject({
      status: 400,
      code: "invalid_request",
      detail: "Send the header Quittance-Mode: Test or Quittance-Mode: Live.",
    });
    expect(await codeOf(read(seat, { "quittance-mode": "test" }))).toBe("invalid_request");
    expect((await read(seat, { "quittance-mode": "Live" })).body).toMatchObject({
      status: 403,
      code: "no_role_in_mode",
    });
  });

  it("may do what the roles say, and nothing else", async () => {
    const seat = await sitDown(gateway, await invite({ roles: { Test: ["Admin"], Live: [] } }));
    const answer = await gateway.call("POST", `${order}/approve`, { headers: seat.headers, body: {} });
    expect(answer.body).toMatchObject({ code: "insufficient_scope", requiredScope: "orders:approve" });
  });

  it("is refused beside an API key, even a good one", async () => {
    const seat = await sitDown(gateway, await invite());
    const { key } = await gateway.issue();
    const answer = await gateway.call("GET", order, { key, headers: seat.headers });
    expect(answer.body).toMatchObject({ status: 400, code: "invalid_request" });
  });

  it.each([
    ["a stolen cookie without Sec-Fetch-Site", "GET", { "sec-fetch-site": "" }, undefined],
    ["a link on another page", "GET", { "sec-fetch-site": "cross-site" }, undefined],
    ["another service of our site", "GET", { "sec-fetch-site": "same-site" }, undefined],
    ["a typed address", "GET", { "sec-fetch-site": "none" }, undefined],
    ["a write from another origin", "POST", { origin: "https://evil.example" }, "{}"],
    ["a write without an origin", "POST", { origin: "" }, "{}"],
    [
      "a form of another site",
      "POST",
      {
        "sec-fetch-site": "cross-site",
        origin: "https://evil.example",
        "content-type": "application/x-www-form-urlencoded",
      },
      "a=b",
    ],
    [
      "text/plain of another site",
      "POST",
      { "sec-fetch-site": "cross-site", origin: "https://evil.example", "content-type": "text/plain" },
      "{}",
    ],
  ])("is refused for %s", async (_what, method, headers, raw) => {
    const seat = await sitDown(gateway, await invite({ roles: { Test: ["Maker"], Live: [] } }));
    const path = method === "GET" ? order : "/v1/payment-orders";
    const sent = { headers: { ...seat.headers, ...headers }, ...(raw === undefined ? {} : { raw }) };
    const answer = await gateway.call(method, path, sent);
    expect(answer.body).toMatchObject({ status: 403, code: "cross_site_request" });
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])(
    "is refused with a body of %s from our own page, too",
    async (type) => {
      const seat = await sitDown(gateway, await invite({ roles: { Test: ["Maker"], Live: [] } }));
      const headers = { ...seat.headers, "content-type": type };
      const answer = await gateway.call("POST", "/v1/payment-orders", { headers, raw: "{}" });
      expect(answer.body.code).toBe("unsupported_media_type");
    },
  );

  it.each([
    ["nonsense", "__Host-session=nonsense"],
    ["a session that never was", `__Host-session=${"B".repeat(43)}`],
    ["two cookies of the name", `__Host-session=${"C".repeat(43)}; __Host-session=${"D".repeat(43)}`],
  ])("is refused with %s", async (_what, cookie) => {
    const seat = await sitDown(gateway, await invite());
    expect(await codeOf(read(seat, { cookie }))).toBe("session_ended");
  });

  it("is refused with a second cookie of the name, wherever its own stands", async () => {
    const { headers, ...seat } = await sitDown(gateway, await invite());
    const [own = "", other] = [headers["cookie"], `__Host-session=${"E".repeat(43)}`];
    const sent = (...cookies: string[]) => read({ ...seat, headers }, { cookie: cookies.join("; ") });
    expect((await sent(own)).status).toBe(200);
    expect(await codeOf(sent(own, other))).toBe("session_ended");
    expect(await codeOf(sent(other, own))).toBe("session_ended");
  });

  it("is refused while the tenant is suspended, except to sign out", async () => {
    const seat = await sitDown(gateway, await invite());
    expect((await read(seat)).status).toBe(200);
    await gateway.units.run((unit) => suspendTenant(unit, gateway.tenant));
    try {
      await expect.poll(() => codeOf(read(seat))).toBe("tenant_inactive");
      const signedOut = await gateway.call("POST", "/auth/sign-out", { headers: seat.headers, body: {} });
      expect(signedOut.status).toBe(204);
    } finally {
      await gateway.units.run((unit) => reactivateTenant(unit, gateway.tenant));
    }
  });
});

describe("a session", () => {
  it("ends with the sign-out, and the browser forgets its cookie", async () => {
    const seat = await sitDown(gateway, await invite());
    const answer = await gateway.call("POST", "/auth/sign-out", { headers: seat.headers, body: {} });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("set-cookie")).toBe(
      "__Host-session=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0",
    );
    expect(await codeOf(read(seat))).toBe("session_ended");
  });

  it("ends after a rest, and after its longest time", async () => {
    const [idle, old] = [await sitDown(gateway, await invite()), await sitDown(gateway, await invite())];
    const age = (column: string, seat: Seat) =>
      gateway.asOwner(
        `update gateway.session set ${column} = now() - interval '32 minutes'
         where person_id = (select id from gateway.person where email = '${seat.email}')`,
      );
    await age("last_used_at", idle);
    await age("ends_at", old);
    await expect.poll(() => codeOf(read(idle))).toBe("session_ended");
    await expect.poll(() => codeOf(read(old))).toBe("session_ended");
  });

  it("is not used by what a page reads while nobody works with it", async () => {
    const [used, unattended] = [
      await sitDown(gateway, await invite()),
      await sitDown(gateway, await invite()),
    ];
    await gateway.asOwner("update gateway.session set last_used_at = now() - interval '20 minutes'");
    const header = { "quittance-unattended": "true" };
    expect((await read(unattended, header)).status).toBe(200);
    // A page asks anew what would become of an order that was left in its form.
    const preview = { headers: { ...unattended.headers, ...header }, body: {} };
    expect(await codeOf(gateway.call("POST", "/v1/payment-orders/preview", preview))).toBe(
      "insufficient_scope",
    );
    expect((await read(used)).status).toBe(200);
    const minutesSinceUse = async ({ email }: Seat) => {
      const [row] = await gateway.database.sql<{ minutes: number }>(
        `select extract(epoch from now() - last_used_at)::int / 60 as minutes from session
         where person_id = (select id from person where email = $1)`,
        [email],
      );
      return row?.minutes;
    };
    await expect.poll(() => minutesSinceUse(used)).toBeLessThan(2);
    expect(await minutesSinceUse(unattended)).toBe(20);
  });

  it("ends with a new password, with all others of the person", async () => {
    const person = await invite();
    const [here, elsewhere] = [await sitDown(gateway, person), await sitDown(gateway, person)];
    const change = (currentPassword: string) =>
      gateway.call("POST", "/auth/password", {
        headers: here.headers,
        body: { currentPassword, newPassword: "a new long password" },
      });
    expect((await change("wrong")).body.code).toBe("sign_in_failed");
    expect((await change(person.password)).status).toBe(200);
    expect(await codeOf(read(here))).toBe("session_ended");
    expect(await codeOf(read(elsewhere))).toBe("session_ended");
    await sitDown(gateway, { ...person, password: "a new long password" });
  });

  it("can't be made longer or brought back, not even by the service's own role", async () => {
    const { sql } = gateway.database;
    await sitDown(gateway, await invite());
    await expect(sql("update session set ends_at = now() + interval '1 year'")).rejects.toThrow("permission");
    await sql("update session set ended_at = now(), ended_because = 'SignedOut' where ended_at is null");
    await expect(sql("update session set ended_at = null, ended_because = null")).rejects.toThrow(
      "back to life",
    );
  });
});
