import { afterAll, describe, expect, it, vi } from "vitest";
import { runCommandLine } from "../../../scripts/operator/command-line/command-line.ts";
import { tenants as tool } from "../../../scripts/operator/tenants.ts";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { createTenant } from "../tenants/create-tenant.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { patienceMs } from "../../../test/stack/until.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { addPasskey, challengeIn, confirm, send } from "../../../test/stack/people/passkey-of.ts";
import { inviteTo, ownPage, sitDown } from "../../../test/stack/people/people.ts";

const gateway = await forThisFile(startGateway());
vi.stubEnv("DATABASE_URL", gateway.adminUrl);
afterAll(() => vi.unstubAllEnvs());

async function tenants(...args: string[]): Promise<string> {
  const [out, error]: [string[], string[]] = [[], []];
  const streams = { out: (line: string) => out.push(line), error: (line: string) => error.push(line) };
  const code = await runCommandLine(tool, args, streams);
  return (code === 0 ? out : error.slice(-1)).join("\n");
}
const invite = (email: string, principal: string, ...more: string[]) =>
  tenants(
    "invite",
    "--tenant",
    gateway.tenant,
    "--principal",
    principal,
    "--email",
    email,
    "--by",
    "ada",
    ...more,
  );

describe("the operator's command line", () => {
  it("invites the first admin, with a password that is shown once and ends", async () => {
    const printed = await invite("first@acme.example", "first");
    const [, password = ""] = /^per_[0-9a-z]{26} {2}(\S{20})\n/.exec(printed) ?? [];
    const seat = await sitDown(gateway, { email: "first@acme.example", password });
    const { body } = await gateway.call("GET", "/v1/me", { headers: seat.headers });
    expect(body).toMatchObject({
      principal: "first",
      person: { roles: { Test: ["Admin"], Live: ["Admin"] } },
    });
    await gateway.asOwner("update gateway.person set password_ends_at = now()");
    await expect(sitDown(gateway, { email: "first@acme.example", password })).rejects.toThrow(
      "sign_in_failed",
    );
  });

  it("gives the roles that the operator names, and lists them", async () => {
    await invite("maker@acme.example", "m. aker", "--roles", "Test:Maker,Live:Viewer", "--name", "Mae Ker");
    expect(await tenants("people", gateway.tenant)).toMatch(
      /^per_[0-9a-z]{26} {2}Active {5}m\. aker {2}maker@acme\.example {2}Test:Maker,Live:Viewer$/m,
    );
  });

  it.each([
    [
      "an email that somebody has in another case",
      "FIRST@acme.example",
      "other",
      [],
      "A person has this email",
    ],
    [
      "a principal that differs in case",
      "y@acme.example",
      "First",
      [],
      "There is already a principal first.",
    ],
    ["a text without an @", "nobody", "nobody", [], "is not an email address"],
    [
      "a role that does not exist",
      "z@acme.example",
      "zoe",
      ["--roles", "Test:Boss"],
      "is not such as Test:Maker",
    ],
    ["the operator's own name", "o@acme.example", "operator", [], "operator is reserved"],
  ])("answers %s", async (_what, email, principal, more, answer) => {
    expect(await invite(email, principal, ...more)).toMatch(answer);
  });

  it("helps somebody who failed too often or lost the password, and ends their sessions", async () => {
    const [email, { tenant }] = ["lost@acme.example", gateway];
    const [id, password = ""] = (await invite(email, "lost")).split("\n")[0]?.split("  ") ?? [];
    const seat = await sitDown(gateway, { email, password, tenant });
    const fail = () =>
      gateway.call("POST", "/auth/sign-in", {
        body: { email, password: "wrong", tenant },
        headers: ownPage(gateway),
      });
    await Promise.all(Array.from({ length: 10 }, fail));
    await expect(sitDown(gateway, { email, password, tenant })).rejects.toThrow("sign_in_failed");
    const [, renewed = ""] =
      (await tenants("recover", email, "--by", "ada")).split("\n")[0]?.split("  ") ?? [];
    await vi.waitFor(
      async () => {
        const { body } = await gateway.call("GET", "/v1/me", { headers: seat.headers });
        expect(body.code).toBe("session_ended");
      },
      { timeout: patienceMs, interval: 20 },
    );
    await expect(sitDown(gateway, { email, password, tenant })).rejects.toThrow("sign_in_failed");
    await sitDown(gateway, { email, password: renewed, tenant });
    const actors = await gateway.database.sql(
      "select actor from audit where action = 'PasswordRecovered' and object_id = $1",
      [id],
    );
    expect(actors).toEqual([{ actor: "operator:ada" }]);
    expect(await tenants("recover", "nobody@acme.example", "--by", "ada")).toContain("There is no person");
  });

  it("removes the passkeys of the person that it helps: whoever found one can confirm nothing", async () => {
    const person = await inviteTo(gateway)();
    const before = await sitDown(gateway, person);
    const found = await addPasskey(gateway, before);
    await confirm(gateway, before, found, { operation: "addPasskey" });
    const printed = await tenants("recover", person.email, "--by", "ada");
    const [, currentPassword = ""] = printed.split("\n")[0]?.split("  ") ?? [];
    const given = await sitDown(gateway, { ...person, password: currentPassword });
    const newPassword = "a sentence of my own";
    expect((await send(gateway, given, "/auth/password", { currentPassword, newPassword })).status).toBe(200);
    const seat = await sitDown(gateway, { ...person, password: newPassword });
    const { body: passkeys } = await gateway.call("GET", "/auth/passkeys", { headers: seat.headers });
    expect(passkeys.items).toEqual([]);
    const stepUp = (operation: string) => send(gateway, seat, "/auth/step-up", { operation });
    expect((await stepUp("addPasskey")).body.code).toBe("passkey_missing");
    await addPasskey(gateway, seat);
    const { body: asked } = await stepUp("addPasskey");
    const response = found.assert({
      challenge: challengeIn(asked.options),
      origin: new URL(gateway.url).origin,
    });
    const answer = await send(gateway, seat, `/auth/step-up/${String(asked.id)}/verify`, { response });
    expect(answer.body.code).toBe("passkey_refused");
  });

  it("helps the person of the tenant that it names, where several tenants have one of that email", async () => {
    const email = "both@acme.example";
    const { id: other } = await createTenant(gateway.database.sql, "Blue Freight");
    const here = await inviteTo(gateway)({ email });
    const there = await inviteTo(gateway)({ email, tenant: other });
    expect(await tenants("recover", email, "--by", "ada")).toBe(
      `Several tenants have a person with the email ${email}: Acme Freight (${gateway.tenant}), ` +
        `Blue Freight (${other}). Name one with --tenant.`,
    );
    const printed = await tenants("recover", email.toUpperCase(), "--tenant", "Blue Freight", "--by", "ada");
    const [, id, renewed = ""] = /^(per_[0-9a-z]{26}) {2}(\S{20})\n/.exec(printed) ?? [];
    expect(id).toBe(there.id);
    await sitDown(gateway, { email, password: renewed, tenant: other });
    await sitDown(gateway, here);
    expect(await tenants("recover", "lost@acme.example", "--tenant", other, "--by", "ada")).toBe(
      `There is no person with the email lost@acme.example in ${other}.`,
    );
  });

  it("records who created and revoked a key, with what ended by that, and who suspended the tenant", async () => {
    const { id: tenant } = await createTenant(gateway.database.sql, "Northwind");
    const issue = async (principal: string) => {
      const what = ["--tenant", tenant, "--mode", "Test", "--principal", principal, "--scopes", "all"];
      const [id = "", key = ""] = (await tenants("create-key", ...what, "--by", "ada")).split(/\s+/, 2);
      return { id, key };
    };
    const [old, rotator] = [await issue("dora"), await issue("rosa")];
    const rotated = await gateway.call("POST", `/v1/api-keys/${old.id}/rotate`, {
      key: rotator.key,
      body: {},
    });
    expect(rotated.body.status).toBe("Pending");
    await tenants("revoke-key", old.id, "--by", "bo");
    for (const command of ["suspend", "suspend", "reactivate"]) await tenants(command, tenant, "--by", "cy");
    const entries = await gateway.database.sql(
      `select actor, action, object_id as object, mode
       from audit
       where tenant_id = $1
         and actor like 'operator%'
       order by id`,
      [uuidOf(tenant)],
    );
    expect(entries).toEqual([
      { actor: "operator:ada", action: "ApiKeyCreated", object: old.id, mode: "Test" },
      { actor: "operator:ada", action: "ApiKeyCreated", object: rotator.id, mode: "Test" },
      { actor: "operator:bo", action: "ApiKeyRevoked", object: old.id, mode: "Test" },
      { actor: "operator:bo", action: "ApiKeyDenied", object: rotated.body.id, mode: "Test" },
      { actor: "operator:cy", action: "TenantSuspended", object: tenant, mode: null },
      { actor: "operator:cy", action: "TenantReactivated", object: tenant, mode: null },
    ]);
  });
});
