import { Events, OAuth2Server } from "oauth2-mock-server";
import { afterEach, describe, expect, it } from "vitest";
import { newId, type TenantId, uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { inviteTo } from "../../../test/stack/people/people.ts";

const provider = await startProvider();
const [acme, other] = [newId("ten"), newId("ten")];
const atProvider = {
  name: "Acme",
  issuer: provider.issuer.url!,
  clientId: "quittance",
  clientSecret: "a secret of the test",
};
const gateway = await forThisFile(
  startGateway({
    DASHBOARD_ORIGIN: "https://pay.acme.example",
    IDENTITY_PROVIDERS: JSON.stringify({
      [acme]: atProvider,
      [other]: atProvider,
    }),
  }),
);
for (const [id, name] of [
  [acme, "Acme"],
  [other, "Other"],
] as const) {
  await gateway.asOwner(`insert into gateway.tenant (id, name) values ('${uuidOf(id)}', '${name}')`);
}
const invite = (tenant: TenantId = acme, email?: string) =>
  inviteTo(gateway)({ tenant, ...(email === undefined ? {} : { email }) });
afterEach(() => {
  provider.service.removeAllListeners();
});

async function startProvider(): Promise<OAuth2Server> {
  const started = new OAuth2Server();
  await started.issuer.keys.generate("RS256");
  await started.start(0, "127.0.0.1");
  return forThisFile(started);
}

const cookieIn = ({ headers }: Pick<Response, "headers">, name: string) =>
  headers
    .getSetCookie()
    .map((line) => line.split(";", 1)[0] ?? "")
    .find((pair) => pair.startsWith(`${name}=`) && !pair.endsWith("="));
const visit = (address: URL | string, headers: Record<string, string> = {}) =>
  fetch(address, { redirect: "manual", headers });
const locationOf = (response: Response) => response.headers.get("location") ?? "";

/** The provider says that this person has signed in. */
function provide(claims: Record<string, unknown>, nonce: string): void {
  provider.service.on(Events.BeforeTokenSigning, (token) => {
    Object.assign(token.payload, { aud: "quittance", nonce, ...claims });
  });
}

const fromOwnPage = { "sec-fetch-site": "same-origin", origin: "https://pay.acme.example" };
/** The browser's way to the provider. */
async function leave(tenant: TenantId, next?: string) {
  const { body, headers } = await gateway.call("POST", `/auth/oidc/${tenant}`, {
    headers: fromOwnPage,
    body: next === undefined ? {} : { next },
  });
  const address = new URL(String(body.location));
  const callback = new URL(locationOf(await visit(address)));
  const { pathname, search } = callback;
  const attempt = cookieIn({ headers }, "__Host-sign-in") ?? "";
  const nonce = address.searchParams.get("nonce") ?? "";
  return { address, attempt, nonce, callback: pathname + search };
}

const comeBack = (callback: string, cookie: string) => visit(gateway.url + callback, { cookie });

const failedAt = (tenant: TenantId) => `/test/sign-in?failed=openid&tenant=${tenant}`;

/** The whole way. The principal that has signed in, or undefined if it failed. */
async function signIn(claims: Record<string, unknown>, tenant: TenantId = acme): Promise<string | undefined> {
  const { attempt, nonce, callback } = await leave(tenant);
  provide(claims, nonce);
  const back = await comeBack(callback, attempt);
  provider.service.removeAllListeners();
  const cookie = cookieIn(back, "__Host-session");
  expect([303, locationOf(back)]).toEqual([
    back.status,
    cookie === undefined ? failedAt(tenant) : "/test/approvals",
  ]);
  if (cookie === undefined) return undefined;
  const headers = { cookie, "sec-fetch-site": "same-origin", "quittance-mode": "Test" };
  const { body } = await gateway.call("GET", "/v1/me", { headers });
  return (body.person as { email: string }).email;
}

const verified = (email: string, sub: string = newId("per")) => ({ sub, email, email_verified: true });

describe("a sign-in at the tenant's provider", () => {
  it("is of the person whom an admin has invited by the verified address", async () => {
    const { email } = await invite();
    expect(await signIn(verified(email.toUpperCase()))).toBe(email);
  });

  it("is of the same person later, by the provider's subject, whatever the address is then", async () => {
    const { email } = await invite();
    const sub = newId("per");
    await signIn(verified(email, sub));
    expect(await signIn({ sub, email: "renamed@acme.example", email_verified: true })).toBe(email);
    expect(await signIn({ sub })).toBe(email);
  });

  it("is refused for an address that the company has given to somebody else", async () => {
    const { email } = await invite();
    await signIn(verified(email, "who-left"));
    expect(await signIn(verified(email, "who-came"))).toBeUndefined();
  });

  it("is refused for somebody whom nobody invited, and for an unverified address", async () => {
    const { email } = await invite();
    expect(await signIn(verified("stranger@acme.example"))).toBeUndefined();
    expect(await signIn({ sub: "x", email, email_verified: false })).toBeUndefined();
  });

  it("is refused for people of another tenant, also if they have signed in at their own", async () => {
    const { email } = await invite(other);
    const sub = newId("per");
    expect(await signIn(verified(email, sub))).toBeUndefined();
    expect(await signIn(verified(email, sub), other)).toBe(email);
    expect(await signIn(verified(email, sub))).toBeUndefined();
  });

  it("is of the tenant's own person, where other tenants have people of the same address", async () => {
    const elsewhere = await inviteTo(gateway)();
    const email = elsewhere.email.toUpperCase();
    const [here, there] = [await invite(acme, email), await invite(other, email)];
    const personOf = async (tenant: TenantId, sub: string) => {
      await signIn(verified(email, sub), tenant);
      const [last] = await gateway.database.sql<{ id: string }>(
        "select person_id as id from session order by id desc limit 1",
      );
      return last?.id;
    };
    expect(await personOf(acme, "sub-here")).toBe(uuidOf(here.id as never));
    expect(await personOf(other, "sub-there")).toBe(uuidOf(there.id as never));
    expect(await signIn(verified(email, "sub-there"))).toBeUndefined();
  });

  it("is refused for a suspended person and in a suspended tenant", async () => {
    const person = await invite();
    const claims = verified(person.email);
    await signIn(claims);
    await gateway.asOwner(`update gateway.person set status = 'Suspended' where email = '${person.email}'`);
    expect(await signIn(claims)).toBeUndefined();
    const { email } = await invite(other);
    await gateway.asOwner(`update gateway.tenant set status = 'Suspended' where id = '${uuidOf(other)}'`);
    expect(await signIn(verified(email), other)).toBeUndefined();
    await gateway.asOwner(`update gateway.tenant set status = 'Active' where id = '${uuidOf(other)}'`);
  });

  it("begins a session under a new cookie, and ends the one that the browser had", async () => {
    const { email } = await invite();
    const sub = newId("per");
    const { attempt, nonce, callback } = await leave(acme);
    provide(verified(email, sub), nonce);
    const first = cookieIn(await comeBack(callback, attempt), "__Host-session") ?? "";
    provider.service.removeAllListeners();
    const again = await leave(acme);
    provide(verified(email, sub), again.nonce);
    const second = cookieIn(await comeBack(again.callback, `${again.attempt}; ${first}`), "__Host-session");
    expect(second).not.toBe(first);
    const headers = { cookie: first, "sec-fetch-site": "same-origin", "quittance-mode": "Test" };
    expect((await gateway.call("GET", "/v1/me", { headers })).body.code).toBe("session_ended");
  });
});

describe("the page after the sign-in", () => {
  const inBoth = { Test: ["Viewer"], Live: ["Viewer"] } as const;
  const onlyLive = { Test: [], Live: ["Viewer"] } as const;

  it.each([
    ["the one that was asked for", inBoth, "/live/orders?rail=Wire", "/live/orders?rail=Wire"],
    ["the first one if none was asked for", inBoth, undefined, "/test/approvals"],
    ["the first one for an address of another host", inBoth, "//evil.example", "/test/approvals"],
    ["the first one for a backslash", inBoth, "/\\evil.example", "/test/approvals"],
    ["in Live for people with a role only there", onlyLive, undefined, "/live/approvals"],
    ["in Live for them from Test, too", onlyLive, "/test/approvals", "/live/approvals"],
  ])("is %s", async (_what, roles, next, page) => {
    const { email } = await inviteTo(gateway)({ tenant: acme, roles });
    const { address, attempt, nonce, callback } = await leave(acme, next);
    expect(decodeURIComponent(address.href)).not.toMatch(/orders|evil/);
    provide(verified(email), nonce);
    expect(locationOf(await comeBack(callback, attempt))).toBe(page);
  });

  it("is remembered by the sign-in page after a failure", async () => {
    const { attempt } = await leave(acme, "/live/orders");
    const back = await comeBack("/auth/oidc/callback?error=access_denied", attempt);
    expect(locationOf(back)).toBe(`/live/sign-in?failed=openid&tenant=${acme}&next=%2Flive%2Forders`);
  });

  it("is not one that was put into the cookie in another way", async () => {
    const { email } = await invite();
    const { attempt, nonce, callback } = await leave(acme);
    const [name, value = ""] = attempt.split("=");
    const kept = JSON.parse(Buffer.from(value, "base64url").toString()) as object;
    const changed = Buffer.from(JSON.stringify({ ...kept, next: "//evil.example" })).toString("base64url");
    provide(verified(email), nonce);
    const back = await comeBack(callback, `${name}=${changed}`);
    expect(locationOf(back)).toBe("/test/sign-in?failed=openid");
  });
});

describe("a password", () => {
  it("opens nothing to people of a tenant with a provider, which alone knows who has left the company", async () => {
    const person = await invite();
    const { email, password } = person;
    const bySignIn = await gateway.call("POST", "/auth/sign-in", {
      body: { email, password },
      headers: fromOwnPage,
    });
    expect([bySignIn.body.code, bySignIn.headers.get("set-cookie")]).toEqual(["sign_in_failed", null]);
    const { attempt, nonce, callback } = await leave(acme);
    provide(verified(email), nonce);
    const cookie = cookieIn(await comeBack(callback, attempt), "__Host-session") ?? "";
    const byChange = await gateway.call("POST", "/auth/password", {
      body: { currentPassword: password, newPassword: "a sentence of my own" },
      headers: { cookie, ...fromOwnPage },
    });
    expect([byChange.body.code, byChange.headers.get("set-cookie")]).toEqual(["sign_in_failed", null]);
  });

  it("signs in at the tenant without a provider, if the email is known at both", async () => {
    const atProvider = await invite();
    const { email } = await invite(gateway.tenant, atProvider.email);
    const signInWith = async (tenant?: TenantId) => {
      const { body } = await gateway.call("POST", "/auth/sign-in", {
        body: { email, password: "a password of their own", tenant },
        headers: fromOwnPage,
      });
      return body.code ?? (body.tenant as { id: string }).id;
    };
    expect(await signInWith()).toBe(gateway.tenant);
    expect(await signInWith(gateway.tenant)).toBe(gateway.tenant);
    expect(await signInWith(acme)).toBe("sign_in_failed");
  });
});

it("creates a person of a tenant with a provider without a password to hand over", async () => {
  const { key } = await gateway.issue({ tenant: acme, principal: "machine" });
  const person = { principal: "rosa", email: "rosa@acme.example", name: "Rosa", roles: ["Viewer"] };
  const created = await gateway.call("POST", "/v1/people", { key, body: person });
  expect(created).toMatchObject({ status: 201, body: { principal: "rosa", password: null } });
});

describe("the provider's answer", () => {
  it("counts once, and only in the browser that began", async () => {
    const { email } = await invite();
    const { attempt, nonce, callback } = await leave(acme);
    provide(verified(email), nonce);
    const outcomes = [
      await comeBack(callback, ""),
      await comeBack(callback, (await leave(acme)).attempt),
      await comeBack(callback, attempt.replace(/.$/, "_")),
      await comeBack(callback, "__Host-sign-in=e30"),
      await comeBack(callback, `${attempt}; ${attempt}`),
      await comeBack("/auth/oidc/callback?error=access_denied", attempt),
    ];
    for (const outcome of outcomes) expect(locationOf(outcome)).toContain("/test/sign-in?failed=openid");
    expect(outcomes.flatMap((each) => cookieIn(each, "__Host-session") ?? [])).toEqual([]);
    expect(cookieIn(await comeBack(callback, attempt), "__Host-session")).toBeDefined();
  });
});

it("providers need the address of our pages, which they send people back to", async () => {
  const IDENTITY_PROVIDERS = JSON.stringify({ [acme]: atProvider });
  await expect(startGateway({ IDENTITY_PROVIDERS })).rejects.toThrow("is required with IDENTITY_PROVIDERS");
});
