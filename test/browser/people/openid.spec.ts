/** A sign-in at a company's own OpenID provider, in a browser. */
import { Events, OAuth2Server } from "oauth2-mock-server";
import { afterEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { OwnWorld } from "../../world/system/own-world.ts";
import { Dashboard } from "../dashboard.ts";
import { screenFaults } from "../screen-faults.ts";

const provider = await forThisFile(startProvider());
const dashboard = await forThisFile(Dashboard.open(OwnWorld.start({ isPatient: true })));
const { world } = dashboard;
const { id: tenant, name } = world.tenant.tenant;
await restartGatewayWith({
  DASHBOARD_ORIGIN: new URL(dashboard.url("")).origin,
  IDENTITY_PROVIDERS: JSON.stringify({
    [tenant]: {
      name,
      issuer: provider.issuer.url,
      clientId: "quittance",
      clientSecret: "a secret of the test",
    },
  }),
});
afterEach(() => {
  provider.service.removeAllListeners();
});

async function startProvider(): Promise<OAuth2Server> {
  const started = new OAuth2Server();
  await started.issuer.keys.generate("RS256");
  await started.start(0, "127.0.0.1");
  return started;
}

/** The tenant's id, which the settings name, is known once the service runs. */
async function restartGatewayWith(env: Record<string, string>): Promise<void> {
  Object.assign(world.system.env ?? {}, env);
  await world.killAndReplace(world.instanceOf("gateway"));
}

/** The provider says of everybody who comes that they are the person with this verified address. */
function provide(email: string): void {
  let nonce: unknown;
  provider.service.on(Events.BeforeAuthorizeRedirect, (_redirect, request) => {
    nonce = new URL(request.url ?? "", "http://provider").searchParams.get("nonce");
  });
  provider.service.on(Events.BeforeTokenSigning, (token) => {
    Object.assign(token.payload, { aud: "quittance", nonce, sub: email, email, email_verified: true });
  });
}

/** A request to the provider is no fault, because the person has chosen its button. */
const isNotOfProvider = (fault: string) =>
  !fault.startsWith(`requested ${provider.issuer.url ?? ""}/authorize?`);

describe("the button of a company's OpenID provider", () => {
  it("leads there, and back to the page that was asked for", async () => {
    provide((await dashboard.credentialsOf("vera")).email);
    const shown = await dashboard.asNobody("/orders?rail=Wire");
    const { page } = shown;
    const button = page.getByRole("button", { name: `Continue with ${name}` });
    await button.waitFor();
    expect(await screenFaults(shown, [401])).toEqual([]);
    await button.press("Enter");
    await page.getByRole("heading", { name: "Orders" }).waitFor();
    const { pathname, search } = new URL(page.url());
    expect(pathname + search).toBe("/test/orders?rail=Wire");
    expect(await page.getByText("Vera Sato").isVisible()).toBe(true);
    await shown.close();
  });

  it("explains why a person whom nobody has invited is refused", async () => {
    provide("stranger@acme.example");
    const shown = await dashboard.asNobody("/sign-in");
    const { page } = shown;
    await page.getByRole("button", { name: `Continue with ${name}` }).click();
    await page.getByRole("alert").waitFor();
    expect(new URL(page.url()).pathname).toBe("/test/sign-in");
    expect(await page.getByRole("alert").innerText()).toBe(
      "The sign-in at your company did not work. Try again, or ask an admin whether you are invited with this email.",
    );
    expect((await screenFaults(shown, [401])).filter(isNotOfProvider)).toEqual([]);
    await shown.close();
  });

  it("is what a link on another page leads to, which replaces nobody's session", async () => {
    provide((await dashboard.credentialsOf("vera")).email);
    const shown = await dashboard.asNobody("/orders");
    const { page } = shown;
    const button = page.getByRole("button", { name: `Continue with ${name}` });
    await button.press("Enter");
    await page.getByRole("heading", { name: "Orders" }).waitFor();
    await page.goto(`${provider.issuer.url ?? ""}/.well-known/openid-configuration`);
    const link = new URL(`/auth/oidc/${tenant}?next=/test/counterparties`, dashboard.url("")).href;
    await page.evaluate(`location.assign(${JSON.stringify(link)})`);
    await button.waitFor();
    expect(new URL(page.url()).search).toBe(`?tenant=${tenant}&next=%2Ftest%2Fcounterparties`);
    expect(await page.getByLabel("Password").count()).toBe(0);
    await page.goto(dashboard.url("/orders"));
    await page.getByText("Vera Sato").waitFor();
    await shown.close();
  });
});
