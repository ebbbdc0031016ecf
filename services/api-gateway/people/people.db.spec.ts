import { beforeEach, describe, expect, it } from "vitest";
import { ApplyApprovalRights } from "../../../contracts/messages/orders.ts";
import type { Authenticator } from "../../../test/stack/people/authenticator.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { addPasskey, confirm } from "../../../test/stack/people/passkey-of.ts";
import { type Invited, inviteTo, type Seat, sitDown } from "../../../test/stack/people/people.ts";

const gateway = await forThisFile(startGateway());
await gateway.owner(ApplyApprovalRights, ({ data: { rights } }) => ({ recorded: rights.length }));
const invite = inviteTo(gateway);

type Admin = Seat & { readonly passkey: Authenticator };
let [ida, sam]: Admin[] = [];
let rosa: Invited;
beforeEach(async () => {
  const roles = { Test: ["Admin"], Live: ["Admin"] } as const;
  const admin = async () => {
    const seat = await sitDown(gateway, await invite({ roles }));
    return { ...seat, passkey: await addPasskey(gateway, seat) };
  };
  ida = await admin();
  sam = await admin();
  rosa = await invite();
});

const as = (seat: Seat | undefined, mode = "Test") => ({ ...seat?.headers, "quittance-mode": mode });
/** The same for a decision, which the admin's passkey has confirmed. */
const deciding = async (
  admin: Admin | undefined,
  what: { operation: string; ids?: string[]; body: object },
  mode = "Test",
) => {
  if (admin === undefined) throw new Error("no admin has signed in");
  const headers = as(admin, mode);
  return {
    ...headers,
    ...(await confirm(gateway, { ...admin, headers }, admin.passkey, what)),
  };
};
const change = async (body: object, admin = ida, mode = "Test", id = rosa.id) =>
  gateway.call("PATCH", `/v1/people/${id}`, {
    headers: await deciding(admin, { operation: "updatePerson", ids: [id], body }, mode),
    body,
  });
const rolesOf = (body: Record<string, unknown>) => body.roles;
/** The roles that Rosa waits for. */
const openProposal = async (mode = "Test") => {
  const { body } = await gateway.call("GET", "/v1/people/role-proposals", { headers: as(sam, mode) });
  return (body.data as { id: string; personId: string; status: string; roles: string[] }[]).find(
    ({ personId, status }) => personId === rosa.id && status === "Open",
  );
};
const decide = async (id = "", how: "approve" | "deny", admin: Admin | undefined, mode = "Test") =>
  gateway.call("POST", `/v1/people/role-proposals/${id}/${how}`, {
    headers: await deciding(admin, { operation: `${how}RoleProposal`, ids: [id], body: {} }, mode),
    body: {},
  });

describe("a role", () => {
  it("that only reads is given at once in Test, and the person's session goes on", async () => {
    rosa = await invite({ roles: { Test: ["Maker"], Live: [] } });
    const seat = await sitDown(gateway, rosa);
    expect(rolesOf((await change({ roles: ["Viewer", "Maker"] })).body)).toEqual({
      Test: ["Maker", "Viewer"],
      Live: [],
    });
    const { body: me } = await gateway.call("GET", "/v1/me", { headers: seat.headers });
    expect(me.person).toMatchObject({ roles: { Test: ["Maker", "Viewer"], Live: [] } });
  });

  it("that decides or makes something waits until another admin approves it", async () => {
    const { body: changed } = await change({ roles: ["Viewer", "Maker", "Approver"] });
    expect(rolesOf(changed)).toEqual({ Test: ["Viewer"], Live: [] });
    expect(changed["proposedRoles"]).toEqual({ Test: ["Approver", "Maker"], Live: [] });
    const proposal = await openProposal();
    expect(proposal?.roles).toEqual(["Maker", "Approver"]);
    expect((await decide(proposal?.id, "approve", ida)).body.code).toBe("self_approval_not_allowed");
    expect((await decide(proposal?.id, "approve", sam)).body.status).toBe("Approved");
    const { body } = await gateway.call("GET", `/v1/people/${rosa.id}`, { headers: as(ida) });
    expect(rolesOf(body)).toEqual({ Test: ["Approver", "Maker", "Viewer"], Live: [] });
    expect(body["proposedRoles"]).toEqual({ Test: [], Live: [] });
    expect((await decide(proposal?.id, "approve", sam)).body.code).toBe("invalid_state_transition");
  });

  it("that waits is withdrawn by a change that leaves it out", async () => {
    await change({ roles: ["Viewer", "Maker"] });
    await change({ roles: ["Viewer"] });
    expect(await openProposal()).toBeUndefined();
    await change({ roles: ["Maker"] }, ida, "Live");
    await change({ roles: [] }, ida, "Live");
    expect(await openProposal("Live")).toBeUndefined();
  });

  it("is listed with the proposals of its status", async () => {
    await change({ roles: ["Approver"] });
    const listed = async (query: string) => {
      const path = `/v1/people/role-proposals?${query}`;
      const { body } = await gateway.call("GET", path, { headers: as(sam) });
      return (body.data as { personId: string }[]).filter(({ personId }) => personId === rosa.id);
    };
    expect(await listed("status=Open")).toHaveLength(1);
    expect(await listed("status=Approved")).toEqual([]);
    await decide((await openProposal())?.id, "deny", sam);
    expect(await listed("status=Open")).toEqual([]);
    expect(await listed("status=Open&status=Denied")).toHaveLength(1);
  });

  it("in Live always waits", async () => {
    await change({ roles: ["Viewer"] }, ida, "Live");
    const proposal = await openProposal("Live");
    expect((await decide(proposal?.id, "deny", ida, "Live")).body.status).toBe("Denied");
    const { body } = await gateway.call("GET", `/v1/people/${rosa.id}`, { headers: as(ida) });
    expect(rolesOf(body)).toEqual({ Test: ["Viewer"], Live: [] });
  });

  it("is never given to oneself", async () => {
    const { body: me } = await gateway.call("GET", "/v1/me", { headers: as(ida) });
    const { id } = me.person as { id: string };
    const answer = await change({ roles: ["Admin", "Maker"] }, ida, "Test", id);
    expect(answer.body.code).toBe("self_approval_not_allowed");
  });

  it("is taken away at once, and what was approved with it is published as void", async () => {
    rosa = await invite({ roles: { Test: ["Viewer", "Approver"], Live: [] } });
    await change({ roles: ["Viewer"] });
    const [right] = await gateway.database.sql<{ held_until: Date }>(
      "select held_until from approval_right where principal = (select principal from person where email = $1)",
      [rosa.email],
    );
    expect(right?.held_until).toEqual(new Date(0));
  });
});

describe("a person", () => {
  it("is created with a password that is shown once", async () => {
    const body = { principal: `new ${rosa.id}`, email: `new-${rosa.email}`, name: "New", roles: ["Viewer"] };
    const headers = {
      ...(await deciding(ida, { operation: "createPerson", body })),
      "idempotency-key": rosa.id,
    };
    const made = await gateway.call("POST", "/v1/people", { headers, body });
    expect(made).toMatchObject({ status: 201, body: { status: "Active", roles: { Test: ["Viewer"] } } });
    await sitDown(gateway, { email: body.email, password: String(made.body.password) });
    const again = await gateway.call("POST", "/v1/people", { headers, body });
    expect(again.body).toMatchObject({ id: made.body.id, password: null });
  });

  it("who is suspended has no session and no role, and can't sign in", async () => {
    const seat = await sitDown(gateway, rosa);
    expect((await change({ status: "Suspended" })).body).toMatchObject({
      status: "Suspended",
      roles: { Test: [], Live: [] },
    });
    expect((await gateway.call("GET", "/v1/me", { headers: seat.headers })).body.code).toBe("session_ended");
    await expect(sitDown(gateway, rosa)).rejects.toThrow("sign_in_failed");
  });

  it("who is suspended leaves no open proposal of a key or role in the admin's book", async () => {
    const seat = await sitDown(gateway, await invite({ roles: { Test: ["Admin"], Live: [] } }));
    const leaver = { ...seat, passkey: await addPasskey(gateway, seat) };
    const { body: me } = await gateway.call("GET", "/v1/me", { headers: as(leaver) });
    await change({ roles: ["Viewer", "Approver"] }, leaver);
    const propose = async (key: object) => {
      const headers = await deciding(leaver, { operation: "createApiKey", body: key });
      const { status, body } = await gateway.call("POST", "/v1/api-keys", { headers, body: key });
      expect(status).toBe(202);
      return body;
    };
    const made = await propose({ name: "left behind", scopes: ["keys:write"] });
    await gateway.issue({ principal: "payroll" });
    const forAnother = await propose({ name: "slipped in", principal: "payroll", scopes: ["keys:write"] });
    await change({ status: "Suspended" }, ida, "Test", (me.person as { id: `per_${string}` }).id);
    expect(await openProposal()).toBeUndefined();
    const { body: proposals } = await gateway.call("GET", "/v1/api-keys/proposals", { headers: as(sam) });
    expect(proposals.data).toMatchObject([
      { id: forAnother.proposalId, status: "Denied" },
      { id: made.proposalId, status: "Denied" },
    ]);
    const { body: log } = await gateway.call("GET", `/v1/audit-log?objectId=${String(made.id)}`, {
      headers: as(ida),
    });
    expect(log.data).toMatchObject([
      { action: "ApiKeyDenied", details: { proposalId: made.proposalId, mode: "Test" } },
      { action: "ApiKeyProposed" },
    ]);
  });

  it.each(["operator", "another principal"])("can't have a name that looks like %s", async (like) => {
    const { body: me } = await gateway.call("GET", "/v1/me", { headers: as(ida) });
    const name = like === "operator" ? like : `${String(me.principal)}.`;
    expect((await change({ name })).body.code).toBe("invalid_field");
    const body = { principal: `new ${rosa.id}`, email: `new-${rosa.email}`, name, roles: ["Viewer"] };
    const headers = await deciding(ida, { operation: "createPerson", body });
    expect((await gateway.call("POST", "/v1/people", { headers, body })).body.code).toBe("invalid_field");
  });

  it("with roles in Live is not suspended from Test", async () => {
    rosa = await invite({ roles: { Test: ["Viewer"], Live: ["Viewer"] } });
    expect((await change({ status: "Suspended" })).body.code).toBe("insufficient_scope");
    expect((await change({ status: "Suspended" }, ida, "Live")).status).toBe(200);
  });

  it("lists and ends their own sessions, and nobody else's", async () => {
    const [one, two] = [await sitDown(gateway, rosa), await sitDown(gateway, rosa)];
    const { body } = await gateway.call("GET", "/v1/sessions", { headers: one.headers });
    const sessions = body.data as { id: string; isCurrent: boolean }[];
    expect(sessions.map(({ isCurrent }) => isCurrent)).toEqual([false, true]);
    const end = (seat: Seat | undefined) =>
      gateway.call("DELETE", `/v1/sessions/${String(sessions[0]?.id)}`, { headers: as(seat) });
    expect((await end(ida)).body.code).toBe("not_found");
    expect((await end(one)).status).toBe(204);
    expect((await gateway.call("GET", "/v1/me", { headers: two.headers })).body.code).toBe("session_ended");
  });
});

it("the audit log says who did what, from where", async () => {
  await change({ roles: ["Viewer", "Approver"] });
  const { body } = await gateway.call("GET", "/v1/audit-log?limit=1", { headers: as(ida) });
  expect(body.data).toMatchObject([
    { mode: "Test", action: "RolesProposed", objectId: rosa.id, address: "127.0.0.1" },
  ]);
});

it("the audit log names the API key that changed a person", async () => {
  const admin = await gateway.issue({ scopes: ["people:write"], principal: "hr-system" });
  const { status } = await gateway.call("PATCH", `/v1/people/${rosa.id}`, {
    key: admin.key,
    body: { roles: ["Viewer", "Approver"] },
  });
  expect(status).toBe(200);
  const { body } = await gateway.call("GET", "/v1/audit-log?limit=1&actor=hr-system", { headers: as(ida) });
  expect(body.data).toMatchObject([
    { action: "RolesProposed", objectId: rosa.id, details: { roles: ["Approver"], apiKeyId: admin.id } },
  ]);
});

it("the audit log records a role proposal as denied when a newer one replaces it", async () => {
  await change({ roles: ["Viewer", "Approver"] });
  const replaced = await openProposal();
  await change({ roles: ["Viewer", "Maker"] }, sam);
  const path = `/v1/audit-log?objectId=${rosa.id}`;
  const { body } = await gateway.call("GET", path, { headers: as(ida) });
  const denied = (body.data as { action: string }[]).filter(({ action }) => action === "RolesDenied");
  expect(denied).toMatchObject([{ details: { proposalId: replaced?.id, roles: ["Approver"] } }]);
});

it("the audit log shows what one principal did, and what was done to one object", async () => {
  await change({ roles: ["Viewer", "Approver"] });
  const seat = await sitDown(gateway, rosa);
  const { body: me } = await gateway.call("GET", "/v1/me", { headers: seat.headers });
  const actor = `actor=${String(me.principal)}`;
  const actions = async (query: string, headers = as(ida)) => {
    const { body } = await gateway.call("GET", `/v1/audit-log?${query}`, { headers });
    return (body.data as { action: string }[]).map(({ action }) => action);
  };
  expect(await actions(actor)).toEqual(["SignedIn"]);
  expect(await actions(`objectId=${rosa.id}`)).toEqual(["RolesProposed", "StepUpUsed", "PersonInvited"]);
  expect(await actions(`${actor}&objectId=${rosa.id}`)).toEqual([]);
  expect(await actions(`objectId=${rosa.id}`, as(ida, "Live"))).toEqual(["PersonInvited"]);
  await gateway.call("POST", "/auth/sign-out", { headers: seat.headers, body: {} });
  expect(await actions(actor)).toEqual(["SignedOut", "SignedIn"]);
});

it("a key with people:write does the same", async () => {
  const { key } = await gateway.issue({ principal: "hr", scopes: ["people:write"] });
  await expect.poll(async () => (await gateway.call("GET", "/v1/people?limit=1", { key })).status).toBe(200);
});
