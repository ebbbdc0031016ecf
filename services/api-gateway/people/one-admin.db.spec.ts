/** What one admin can do alone: never what needs a second person, whomever they create (docs/adr/0038). */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { patienceMs } from "../../../test/stack/until.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { addPasskey, confirm, send } from "../../../test/stack/people/passkey-of.ts";
import { inviteTo, type Seat, sitDown } from "../../../test/stack/people/people.ts";
import type { Authenticator } from "../../../test/stack/people/authenticator.ts";

const gateway = await forThisFile(startGateway());
const invite = inviteTo(gateway);

type Admin = Seat & { readonly passkey: Authenticator };
let ada: Admin;
beforeEach(async () => {
  const seat = await sitDown(gateway, await invite({ roles: { Test: ["Admin", "Approver"], Live: [] } }));
  ada = { ...seat, passkey: await addPasskey(gateway, seat) };
});

/** Sends what the admin's passkey has confirmed. */
async function decide(admin: Admin, operation: string, path: string, body: object, ids: string[] = []) {
  return send(
    gateway,
    admin,
    path,
    body,
    await confirm(gateway, admin, admin.passkey, { operation, ids, body }),
  );
}

let count = 0;
/** A person of whom the admin knows the first password. */
async function create(roles: readonly string[], principal = `puppet ${String((count += 1))}`) {
  const email = `puppet-${String((count += 1))}@acme.example`;
  const body = { principal, email, name: "Puppet", roles };
  const { body: made } = await decide(ada, "createPerson", "/v1/people", body);
  return { ...(made as { id: string; roles: object }), email, password: String(made.password) };
}

/** The person's session after the admin has changed the first password, as the person would. */
async function takeOver(person: { readonly email: string; readonly password: string }): Promise<Seat> {
  const first = await sitDown(gateway, person);
  const own = "a password of the admin's";
  const passwords = { currentPassword: person.password, newPassword: own };
  expect((await send(gateway, first, "/auth/password", passwords)).status).toBe(200);
  return sitDown(gateway, { ...person, password: own });
}

const order = {
  amountCents: 900_000,
  rail: "Wire",
  direction: "Credit",
  fromAccountName: "Operating",
  counterpartyName: "Ada Example",
  counterpartyAccountNumber: "000123456789",
  counterpartyRoutingNumber: "790001005",
};
const status = async (answer: Promise<{ status: number; body: Record<string, unknown> }>) => {
  const { status: code, body } = await answer;
  return [code, body.code];
};
const proposalsOf = async (id: string) => {
  const { body } = await gateway.call("GET", "/v1/people/role-proposals?status=Open", {
    headers: ada.headers,
  });
  return (body.data as { id: string; personId: string; roles: string[] }[]).filter(
    ({ personId }) => personId === id,
  );
};

describe("one admin without a second one", () => {
  it("can't replace the first password by the same one", async () => {
    const puppet = await create(["Viewer"]);
    const seat = await sitDown(gateway, puppet);
    const passwords = { currentPassword: puppet.password, newPassword: puppet.password };
    const answer = await send(gateway, seat, "/auth/password", passwords);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer: "/newPassword" }] } });
    expect((await sitDown(gateway, puppet)).email).toBe(puppet.email);
  });

  it("gets no maker whose orders they could approve, not even by changing the first password", async () => {
    const puppet = await create(["Viewer", "Maker"]);
    expect(puppet.roles).toEqual({ Test: ["Viewer"], Live: [] });
    expect(await status(send(gateway, await sitDown(gateway, puppet), "/v1/payment-orders", order))).toEqual([
      403,
      "own_password_required",
    ]);
    const seat = await takeOver(puppet);
    expect(await status(send(gateway, seat, "/v1/payment-orders", order))).toEqual([
      403,
      "insufficient_scope",
    ]);
    const [proposal] = await proposalsOf(puppet.id);
    const approve = `/v1/people/role-proposals/${String(proposal?.id)}/approve`;
    expect(await status(decide(ada, "approveRoleProposal", approve, {}, [String(proposal?.id)]))).toEqual([
      403,
      "self_approval_not_allowed",
    ]);
  });

  it("gets no developer who would propose or approve an API key for them", async () => {
    const puppet = await create(["Viewer", "Developer"]);
    const seat = await takeOver(puppet);
    const passkey = await addPasskey(gateway, seat);
    const key = { name: "CI", principal: "ci", scopes: ["keys:write"] };
    await expect(confirm(gateway, seat, passkey, { operation: "createApiKey", body: key })).rejects.toThrow();
    expect(await status(send(gateway, seat, "/v1/api-keys", key))).toEqual([403, "insufficient_scope"]);
    const principal = await principalOf(seat);
    const deciding = { name: "CI", principal, scopes: ["keys:write"] };
    expect(await status(decide(ada, "createApiKey", "/v1/api-keys", deciding))).toEqual([
      400,
      "invalid_field",
    ]);
    const own = { name: "CI", principal, scopes: ["orders:read"] };
    const { status: waits } = await decide(ada, "createApiKey", "/v1/api-keys", own);
    expect(waits).toBe(202);
    const { body: list } = await gateway.call("GET", "/v1/api-keys/proposals", { headers: ada.headers });
    const [{ id }] = list.data as [{ id: string }];
    const path = `/v1/api-keys/proposals/${id}/approve`;
    expect(await status(send(gateway, seat, path))).toEqual([403, "insufficient_scope"]);
    expect(await status(decide(ada, "approveApiKeyProposal", path, {}, [id]))).toEqual([
      403,
      "self_approval_not_allowed",
    ]);
  });

  it("gives no role at all to a principal that API keys speak for: it may have made or decided something", async () => {
    await gateway.issue({ principal: "treasury bot", scopes: ["orders:write"] });
    const puppet = await create(["Viewer"], "treasury bot");
    expect(puppet.roles).toEqual({ Test: [], Live: [] });
    expect(await proposalsOf(puppet.id)).toMatchObject([{ roles: ["Viewer"], hasApiKeys: true }]);
    const seat = await takeOver(puppet);
    expect(await status(gateway.call("GET", "/v1/payment-orders", { headers: seat.headers }))).toEqual([
      403,
      "no_role_in_mode",
    ]);
  });

  it("proposes a maker's role that they have taken away, instead of giving it back", async () => {
    const maker = await invite({ roles: { Test: ["Maker"], Live: [] } });
    for (const roles of [[], ["Maker"]]) {
      const headers = await confirm(gateway, ada, ada.passkey, {
        operation: "updatePerson",
        ids: [maker.id],
        body: { roles },
      });
      const { body } = await gateway.call("PATCH", `/v1/people/${maker.id}`, {
        headers: { ...ada.headers, ...headers },
        body: { roles },
      });
      expect(body.roles).toEqual({ Test: [], Live: [] });
    }
    expect(await proposalsOf(maker.id)).toMatchObject([{ roles: ["Maker"], hasApiKeys: false }]);
  });
});

describe("a person whose password somebody else has set", () => {
  it.each(["Maker", "Approver", "Developer", "Admin"] as const)(
    "reads, and writes nothing as %s until they have changed it",
    async (role) => {
      const invited = await invite({ password: undefined, roles: { Test: [role], Live: [] } });
      const seat = await sitDown(gateway, invited);
      const { body: me } = await gateway.call("GET", "/v1/me", { headers: seat.headers });
      expect(me.person).toMatchObject({ hasGivenPassword: true });
      const sessionsPath = "/v1/sessions";
      const { body: sessions } = await gateway.call("GET", sessionsPath, { headers: seat.headers });
      const [{ id: session }] = sessions.data as [{ id: string }];
      for (const [method, path] of [
        ["POST", "/v1/payment-orders"],
        ["POST", "/v1/people"],
        ["POST", "/v1/api-keys"],
        ["PUT", "/v1/approval-policy"],
        ["DELETE", `${sessionsPath}/${session}`],
        ["POST", "/auth/step-up"],
        ["POST", "/auth/passkeys"],
        ["DELETE", "/auth/passkeys/pky_01jd3k5s8ye9v8z2r0q3m7n4xa"],
      ] as const) {
        const { status: refused, body } = await gateway.call(method, path, {
          headers: seat.headers,
          body: {},
        });
        expect([path, refused, body.code]).toEqual([path, 403, "own_password_required"]);
        expect(body.detail).toContain("Change your password first");
      }
      const own = await takeOver(invited);
      const { body: then } = await gateway.call("GET", "/v1/me", { headers: own.headers });
      expect(then.person).toMatchObject({ hasGivenPassword: false });
      await addPasskey(gateway, own);
    },
  );

  it("reads no longer than that password is good for", async () => {
    const invited = await invite({ password: undefined });
    const seat = await sitDown(gateway, invited);
    await gateway.asOwner(
      `update gateway.person set password_ends_at = now() where id = '${uuidOf(invited.id as never)}'`,
    );
    await vi.waitFor(
      async () => {
        const { body } = await gateway.call("GET", "/v1/me", { headers: seat.headers });
        expect(body.code).toBe("session_ended");
      },
      { timeout: patienceMs, interval: 50 },
    );
  });

  it("signs out, with no role too", async () => {
    const roles = { Test: [], Live: [] };
    const seat = await sitDown(gateway, await invite({ password: undefined, roles }));
    expect((await send(gateway, seat, "/auth/sign-out")).status).toBe(204);
  });

  it("is seen in the audit log to have signed in with it and to have changed it, and from where", async () => {
    const puppet = await create(["Viewer"]);
    await takeOver(puppet);
    const rows = await gateway.database.sql<{ action: string; address: string; details: object }>(
      `select action, address, details from audit
       where person_id = $1 and action in ('SignedIn', 'PasswordChanged') order by id`,
      [uuidOf(puppet.id as never)],
    );
    const address = "127.0.0.1";
    expect(rows).toEqual([
      { action: "SignedIn", address, details: { method: "Password", password: "Given" } },
      { action: "PasswordChanged", address, details: { before: "Given" } },
      { action: "SignedIn", address, details: { method: "Password" } },
      { action: "SignedIn", address, details: { method: "Password" } },
    ]);
  });
});

async function principalOf({ headers }: Seat): Promise<string> {
  return String((await gateway.call("GET", "/v1/me", { headers })).body.principal);
}
