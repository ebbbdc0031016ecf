import type { ErrorCode } from "../../../contracts/errors.ts";
import { invitePerson } from "../../../services/api-gateway/people/invite-person.ts";
import { openUnits } from "../../stack/database/units.ts";
import { until } from "../../stack/until.ts";
import { databaseUrlOf } from "../../world/system/operator.ts";
import type { RolesByMode } from "../../../contracts/http/roles.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import type { RefusalCase, Scenario } from "./scenario.ts";

const orders = "/v1/payment-orders";
const someCookie = `__Host-session=${"A".repeat(43)}`;

const ownPage = ({ world }: Scenario) => ({
  "sec-fetch-site": "same-origin",
  origin: world.baseUrl(),
});

/** A person who has signed in; without more, a viewer in Test. */
async function signedIn(
  scenario: Scenario,
  principal = "viewer",
  roles: RolesByMode = { Test: ["Viewer"], Live: [] },
  own: string | null = "a password of their own",
): Promise<{ cookie: string }> {
  const gateway = await openUnits(databaseUrlOf(scenario.world, "gateway"));
  const { id: tenant } = scenario.world.tenant.tenant;
  const email = `${principal}@example.com`;
  const { password } = await gateway.units.run((unit) =>
    invitePerson(unit, { tenant, principal, email, name: "Vera", roles, password: own ?? undefined }),
  );
  await gateway.close();
  const response = await until(`an answer to the sign-in of ${principal}`, async () => {
    const answer = await fetch(`${scenario.world.baseUrl()}/auth/sign-in`, {
      method: "POST",
      headers: { ...ownPage(scenario), "content-type": "application/json" },
      body: JSON.stringify({ email, password }),
    });
    return [503, 504].includes(answer.status) ? undefined : answer;
  });
  const [cookie = ""] = (response.headers.get("set-cookie") ?? "").split(";", 1);
  if (cookie === "") throw new Error(`the sign-in of ${principal} failed: ${String(response.status)}`);
  return { cookie };
}

/** What the page of a person who has signed in sends to the Test book. An approver. */
async function pageOf(scenario: Scenario, principal: string) {
  const { cookie } = await signedIn(scenario, principal, { Test: ["Approver"], Live: [] });
  return { key: null, headers: { ...ownPage(scenario), cookie, "quittance-mode": "Test" } };
}

/** An answer of the right form, to another challenge. */
const noPasskey = {
  id: "AAAA",
  rawId: "AAAA",
  type: "public-key",
  response: { clientDataJSON: "AAAA", attestationObject: "AAAA" },
};

/** Refusals of people's sessions. */
export const refusalsOfPeople: Partial<Record<ErrorCode, RefusalCase>> = {
  session_ended: (scenario) =>
    scenario.send(orders, { key: null, headers: { ...ownPage(scenario), cookie: someCookie } }),
  sign_in_failed: (scenario) =>
    scenario.send("/auth/sign-in", {
      key: null,
      headers: ownPage(scenario),
      body: { email: "nobody@example.com", password: "not the password" },
    }),
  cross_site_request: ({ send }) => send(orders, { key: null, headers: { cookie: someCookie } }),
  own_password_required: async (scenario) => {
    const { cookie } = await signedIn(scenario, "new", { Test: ["Approver"], Live: [] }, null);
    const headers = { ...ownPage(scenario), cookie, "quittance-mode": "Test" };
    return scenario.send("/auth/passkeys/options", { key: null, headers, body: {} });
  },
  passkey_missing: async (scenario) =>
    scenario.send("/auth/step-up", {
      ...(await pageOf(scenario, "sees")),
      body: { operation: "approvePaymentOrder" },
    }),
  passkey_refused: async (scenario) => {
    const page = await pageOf(scenario, "adds");
    await scenario.send("/auth/passkeys/options", { ...page, body: {} });
    return scenario.send("/auth/passkeys", { ...page, body: { name: "Laptop", response: noPasskey } });
  },
  recent_sign_in_required: async (scenario) => {
    const page = await pageOf(scenario, "rests");
    await scenario.world.rows("update gateway.session set signed_in_at = now() - interval '1 day'");
    return scenario.send("/auth/passkeys", { ...page, body: { name: "Laptop", response: noPasskey } });
  },
  step_up_required: async (scenario) =>
    scenario.send(`${orders}/${newId("po")}/deny`, { ...(await pageOf(scenario, "decides")), body: {} }),
  no_role_in_mode: async (scenario) => {
    const { cookie } = await signedIn(scenario);
    return scenario.send(orders, {
      key: null,
      headers: { ...ownPage(scenario), cookie, "quittance-mode": "Live" },
    });
  },
};
