/** Who can begin a sign-in at an OpenID provider, and where. */
import { describe, expect, it } from "vitest";
import { newId } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";

const acme = newId("ten");
/** Nothing listens on port 1. */
const nobody = { issuer: "http://127.0.0.1:1", clientId: "quittance", clientSecret: "a secret of the test" };
const gateway = await forThisFile(
  startGateway({
    DASHBOARD_ORIGIN: "https://pay.acme.example",
    IDENTITY_PROVIDERS: JSON.stringify({
      [acme]: { name: "Acme", ...nobody },
      [newId("ten")]: { name: "Other", ...nobody },
    }),
  }),
);

const fromOwnPage = { "sec-fetch-site": "same-origin", origin: "https://pay.acme.example" };
const begin = (tenant: string, body: object = {}, headers: Record<string, string> = fromOwnPage) =>
  gateway.call("POST", `/auth/oidc/${tenant}`, { headers, body });
const notFound = [404, "not_found"];

const visit = (query: string) => fetch(`${gateway.url}/auth/oidc/${acme}${query}`, { redirect: "manual" });

describe("the start of a sign-in", () => {
  it.each([
    ["another site", { ...fromOwnPage, "sec-fetch-site": "cross-site" }],
    ["another host of our site", { ...fromOwnPage, "sec-fetch-site": "same-site" }],
    ["a typed address", { ...fromOwnPage, "sec-fetch-site": "none" }],
    ["a client that does not say from where", { origin: fromOwnPage.origin }],
    ["another origin", { ...fromOwnPage, origin: "https://evil.example" }],
  ])("is refused to %s", async (_where, headers) => {
    const { status, body, headers: answered } = await begin(acme, {}, headers);
    expect([status, body.code, answered.get("set-cookie")]).toEqual([403, "cross_site_request", null]);
  });

  it("is not the address that a tenant gives to its people, which leads to our own page", async () => {
    const page = await visit("?next=%2Flive%2Forders");
    expect([page.status, page.headers.get("set-cookie")]).toEqual([303, null]);
    expect(page.headers.get("location")).toBe(`/live/sign-in?tenant=${acme}&next=%2Flive%2Forders`);
    const two = await visit("?next=/live/orders&next=/live/ledger");
    expect(two.headers.get("location")).toBe(`/test/sign-in?tenant=${acme}`);
  });

  it("leads back to the sign-in page if the provider can't be reached", async () => {
    const { status, body, headers } = await begin(acme, { next: "/live/orders" });
    const location = `/live/sign-in?failed=openid&tenant=${acme}&next=%2Flive%2Forders`;
    expect([status, body]).toEqual([200, { location }]);
    expect(headers.get("set-cookie")).toContain("__Host-sign-in=; ");
  });

  it("is not found for a tenant without a provider", async () => {
    for (const tenant of [gateway.tenant, newId("ten"), "__proto__", "ten_x"]) {
      const answers = [await gateway.call("GET", `/auth/oidc/${tenant}`), await begin(tenant)];
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual([notFound, notFound]);
    }
  });
});

describe("the options of the sign-in page", () => {
  it("name the provider of a tenant that the page names, and none if there are several", async () => {
    const optionsOf = async (query: string) => (await gateway.call("GET", `/auth/options${query}`)).body;
    const password = { local: true, oidc: [] };
    expect(await optionsOf("")).toMatchObject(password);
    expect(await optionsOf(`?tenant=${gateway.tenant}`)).toMatchObject(password);
    expect(await optionsOf("?tenant=__proto__")).toMatchObject(password);
    const withProvider = { local: false, oidc: [{ tenant: acme, name: "Acme" }] };
    expect(await optionsOf(`?tenant=${acme}`)).toMatchObject(withProvider);
  });
});
