import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../../contracts/ids.ts";
import { ListOrders } from "../../../contracts/messages/orders.ts";
import { startGateway, type TestGateway } from "../../../test/stack/gateway.ts";
import { createTenant } from "../create-tenant.ts";
import { issueKey } from "../issue-key.ts";

let gateway: TestGateway;
/** Three people who may give keys; carl may read only, besides. */
let ana: { id: string; key: string };
let bob: { id: string; key: string };
let carl: { id: string; key: string };
beforeAll(async () => {
  gateway = await startGateway();
  await gateway.owner(ListOrders, () => ({ data: [], nextCursor: null, hasMore: false }));
});
afterAll(() => gateway.close());
beforeEach(async () => {
  [ana, bob, carl] = await Promise.all([
    gateway.issue({ principal: "ana" }),
    gateway.issue({ principal: "bob" }),
    gateway.issue({ principal: "carl", scopes: ["orders:read", "keys:write"] }),
  ]);
});

const path = "/v1/api-keys";
type More = Parameters<TestGateway["call"]>[2];
const post = (to: string, who: { key: string }, body?: unknown, more: More = {}) =>
  gateway.call("POST", to, { key: who.key, ...(body === undefined ? {} : { body }), ...more });
const get = (from: string, who: { key: string }) => gateway.call("GET", from, { key: who.key });
const make = (who: { key: string }, body: object) => post(path, who, { name: "spare", ...body });
/** What the key opens: 200 or the refusal's code. */
const opens = async (key: unknown) => {
  const { status, body } = await gateway.call("GET", "/v1/payment-orders", { key: String(key) });
  return status === 200 ? 200 : body.code;
};

describe("a key in one's own name", () => {
  it("works at once, is shown once, and says who made it", async () => {
    const made = await make(ana, { scopes: ["orders:read"], ipAllowlist: ["127.0.0.0/8"] });
    const { key, ...shown } = made.body;
    expect(made.status).toBe(201);
    expect(made.headers.get("location")).toBe(`${path}/${String(shown.id)}`);
    expect(key).toMatch(/^qt_test_[0-9A-Za-z]{49}$/);
    expect(shown).toEqual({
      id: expect.stringMatching(/^key_/),
      name: "spare",
      principal: "ana",
      mode: "Test",
      scopes: ["orders:read"],
      ipAllowlist: ["127.0.0.0/8"],
      prefix: "qt_test_",
      last4: String(key).slice(-4),
      status: "Active",
      createdBy: "ana",
      createdAt: expect.stringMatching(/Z$/),
      approvedBy: null,
      expiresAt: null,
      lastUsedAt: null,
      revokedAt: null,
      revokedBy: null,
      replacedBy: null,
      proposalId: null,
    });
    expect(await opens(key)).toBe(200);
    expect((await get(`${path}/${String(shown.id)}`, bob)).body).toEqual(shown);
  });

  it("has no scope that its maker's key lacks", async () => {
    const refused = await make(carl, { scopes: ["orders:read", "simulate", "ledger:read"] });
    expect(refused.body).toMatchObject({
      status: 403,
      code: "insufficient_scope",
      requiredScopes: ["simulate", "ledger:read"],
    });
  });

  it.each([
    [{ ipAllowlist: ["here"] }, "/ipAllowlist"],
    [{ expiresAt: "2020-01-01T00:00:00.000Z" }, "/expiresAt"],
    [{ principal: " " }, "/principal"],
    [{ principal: "Operator" }, "/principal"],
    [{ principal: "BOB" }, "/principal"],
  ])("can't have %o", async (wish, pointer) => {
    const refused = await make(ana, { scopes: ["orders:read"], ...wish });
    expect(refused.body).toMatchObject({ status: 400, code: "invalid_field", errors: [{ pointer }] });
  });

  it("expires when it was told to", async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const made = await make(ana, { scopes: ["orders:read"], expiresAt });
    expect(made.body).toMatchObject({ status: "Active", expiresAt });
  });

  it("comes again for its Idempotency-Key, but never in clear", async () => {
    const headers = { "idempotency-key": "a spare key" };
    const body = { name: "spare", scopes: ["orders:read"] };
    const first = await post(path, ana, body, { headers });
    const again = await post(path, ana, body, { headers });
    expect(again.status).toBe(201);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body).toEqual({ ...first.body, key: null });
    const kept = await gateway.database.sql("select response from idempotency");
    expect(JSON.stringify(kept)).not.toContain(String(first.body.key).slice(8, 40));
  });
});

describe("a key that approves, sets policy or gives keys", () => {
  const wish = { scopes: ["orders:read", "orders:approve"] };

  it("opens nothing until another principal lets it through", async () => {
    const made = await make(ana, wish);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ status: "Pending", proposalId: expect.stringMatching(/^prop_/) });
    expect(await opens(made.body.key)).toBe("api_key_invalid");
    const approved = await post(`${path}/proposals/${String(made.body.proposalId)}/approve`, bob);
    const { key: _key, ...shown } = made.body;
    expect(approved.status).toBe(200);
    expect(approved.body).toEqual({
      id: made.body.proposalId,
      status: "Approved",
      apiKey: { ...shown, status: "Active", approvedBy: "bob", proposalId: null },
      reason: "It has orders:approve.",
      proposedBy: "ana",
      proposedAt: made.body.createdAt,
      decidedBy: "bob",
      decidedAt: expect.stringMatching(/Z$/),
    });
    expect(await opens(made.body.key)).toBe(200);
  });

  it("is not let through by who proposed it, with another key of his either", async () => {
    const { proposalId } = (await make(ana, wish)).body;
    const other = await gateway.issue({ principal: "ana" });
    const refused = await post(`${path}/proposals/${String(proposalId)}/approve`, other);
    expect(refused.body).toMatchObject({ status: 403, code: "self_approval_not_allowed" });
  });

  it("is not let through by whom it would speak for", async () => {
    const { proposalId, key } = (await make(ana, { ...wish, principal: "bob" })).body;
    const refused = await post(`${path}/proposals/${String(proposalId)}/approve`, bob);
    expect(refused.body).toMatchObject({ status: 403, code: "self_approval_not_allowed" });
    expect(await opens(key)).toBe("api_key_invalid");
  });

  it("is not let through with a key that lacks what it gets", async () => {
    const { proposalId } = (await make(ana, wish)).body;
    const refused = await post(`${path}/proposals/${String(proposalId)}/approve`, carl);
    expect(refused.body).toMatchObject({ code: "insufficient_scope", requiredScopes: ["orders:approve"] });
  });

  it("can be denied, by its proposer too, and then for good", async () => {
    const { proposalId, id, key } = (await make(ana, wish)).body;
    const to = `${path}/proposals/${String(proposalId)}`;
    expect((await post(`${to}/deny`, ana)).body).toMatchObject({ status: "Denied", decidedBy: "ana" });
    expect((await post(`${to}/approve`, bob)).body).toMatchObject({
      code: "invalid_state_transition",
      currentStatus: "Denied",
    });
    expect((await get(`${path}/${String(id)}`, ana)).body).toMatchObject({
      status: "Denied",
      proposalId: null,
    });
    expect(await opens(key)).toBe("api_key_invalid");
  });

  it("is decided once, by one of two at the same moment", async () => {
    const { proposalId } = (await make(ana, wish)).body;
    const dora = await gateway.issue({ principal: "dora" });
    const answers = await Promise.all(
      [bob, dora].map((who) => post(`${path}/proposals/${String(proposalId)}/approve`, who)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it("is not to be had for a principal that nobody knows", async () => {
    const refused = await make(ana, { ...wish, principal: "sock puppet" });
    expect(refused.body).toMatchObject({
      status: 400,
      code: "invalid_field",
      errors: [{ pointer: "/principal" }],
    });
  });

  it("waits among the proposals", async () => {
    const { proposalId, id } = (await make(ana, wish)).body;
    const open = await get(`${path}/proposals?status=Open&limit=1`, bob);
    expect(open.body).toMatchObject({ data: [{ id: proposalId, apiKey: { id, status: "Pending" } }] });
    expect((await get(`${path}?status=Pending&limit=1`, bob)).body).toMatchObject({ data: [{ id }] });
  });

  it("that waits can't be revoked or rotated, but denied", async () => {
    const { id, proposalId } = (await make(ana, wish)).body;
    const revoked = await post(`${path}/${String(id)}/revoke`, ana);
    expect(revoked.body).toMatchObject({
      code: "invalid_state_transition",
      detail: `The key opens nothing yet: deny its proposal ${String(proposalId)}.`,
    });
    expect((await post(`${path}/${String(id)}/rotate`, ana)).body.code).toBe("invalid_state_transition");
  });
});

describe("a key in another's name", () => {
  it("waits for another principal, though it can only read", async () => {
    const made = await make(ana, { principal: "bob", scopes: ["orders:read"] });
    expect(made.body).toMatchObject({ status: "Pending", principal: "bob", createdBy: "ana" });
    const approved = await post(`${path}/proposals/${String(made.body.proposalId)}/approve`, carl);
    expect(approved.body).toMatchObject({ status: "Approved", reason: "It speaks for bob." });
  });

  it("works at once when the name is new and it makes nothing", async () => {
    const made = await make(ana, { principal: "dashboard", scopes: ["orders:read"] });
    expect(made.body).toMatchObject({ status: "Active", principal: "dashboard" });
  });

  it("waits when the name is new and it makes orders: nobody approves what he made as somebody else", async () => {
    const made = await make(ana, { principal: "second self", scopes: ["orders:write"] });
    expect(made.body).toMatchObject({ status: "Pending" });
    expect(await opens(made.body.key)).toBe("api_key_invalid");
  });

  it("is spelt as the one that waits", async () => {
    await make(ana, { principal: "Ärzte", scopes: ["orders:write"] });
    const refused = await make(bob, { principal: "ärzte", scopes: ["orders:read"] });
    expect(refused.body).toMatchObject({
      code: "invalid_field",
      detail: "There is a principal Ärzte: name it exactly so, or take another name.",
    });
  });
});

describe("a rotation", () => {
  const mine = async (more: object = {}) =>
    (await make(ana, { scopes: ["orders:read"], ipAllowlist: ["127.0.0.1"], ...more })).body;

  it("makes a key of the same reach, and lets the old one work for a while", async () => {
    const old = await mine();
    const before = Date.now();
    const rotated = await post(`${path}/${String(old.id)}/rotate`, ana, { overlapHours: 2 });
    expect(rotated.status).toBe(201);
    expect(rotated.body).toMatchObject({
      name: "spare",
      principal: "ana",
      scopes: ["orders:read"],
      ipAllowlist: ["127.0.0.1"],
      status: "Active",
      expiresAt: null,
    });
    expect([await opens(old.key), await opens(rotated.body.key)]).toEqual([200, 200]);
    const { body } = await get(`${path}/${String(old.id)}`, ana);
    expect(body).toMatchObject({ status: "Active", replacedBy: rotated.body.id });
    const lastsMs = Date.parse(String(body.expiresAt)) - before;
    expect(Math.abs(lastsMs - 2 * 3_600_000)).toBeLessThan(60_000);
  });

  it("without overlap ends the old key at once", async () => {
    const old = await mine();
    expect(await opens(old.key)).toBe(200);
    await post(`${path}/${String(old.id)}/rotate`, ana, { overlapHours: 0 });
    expect(await opens(old.key)).toBe("api_key_invalid");
    expect((await get(`${path}/${String(old.id)}`, ana)).body).toMatchObject({
      status: "Revoked",
      revokedBy: "ana",
    });
  });

  it("does not make a key last longer than it was given", async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const old = await mine({ expiresAt });
    const rotated = await post(`${path}/${String(old.id)}/rotate`, ana);
    expect(rotated.body.expiresAt).toBe(expiresAt);
    expect((await get(`${path}/${String(old.id)}`, ana)).body.expiresAt).toBe(expiresAt);
  });

  it("happens to a key once", async () => {
    const old = await mine();
    const [first, second] = await Promise.all([
      post(`${path}/${String(old.id)}/rotate`, ana),
      post(`${path}/${String(old.id)}/rotate`, ana),
    ]);
    const [made, refused] = first.status === 201 ? [first, second] : [second, first];
    expect(refused.body).toMatchObject({
      status: 409,
      code: "invalid_state_transition",
      resourceId: made.body.id,
    });
  });

  it("of a key that decides waits, and the old key works on until then", async () => {
    const rotated = await post(`${path}/${ana.id}/rotate`, ana, { overlapHours: 0 });
    expect(rotated.body).toMatchObject({ status: "Pending" });
    expect([await opens(ana.key), await opens(rotated.body.key)]).toEqual([200, "api_key_invalid"]);
    await post(`${path}/proposals/${String(rotated.body.proposalId)}/approve`, bob);
    expect([await opens(ana.key), await opens(rotated.body.key)]).toEqual(["api_key_invalid", 200]);
  });

  it("that waited too long finds the old key revoked, and is not let through", async () => {
    const rotated = await post(`${path}/${ana.id}/rotate`, ana);
    await post(`${path}/${ana.id}/revoke`, bob);
    const refused = await post(`${path}/proposals/${String(rotated.body.proposalId)}/approve`, bob);
    expect(refused.body).toMatchObject({ code: "invalid_state_transition", currentStatus: "Revoked" });
  });

  it("needs every scope of the key: else it would be a way to more", async () => {
    const refused = await post(`${path}/${ana.id}/rotate`, carl);
    expect(refused.body).toMatchObject({ status: 403, code: "insufficient_scope" });
  });
});

describe("a revocation", () => {
  it("takes effect at once, and stays", async () => {
    const { id, key } = (await make(ana, { scopes: ["orders:read"] })).body;
    expect(await opens(key)).toBe(200);
    const revoked = await post(`${path}/${String(id)}/revoke`, bob);
    expect(revoked.body).toMatchObject({ status: "Revoked", revokedBy: "bob" });
    expect(await opens(key)).toBe("api_key_invalid");
    expect((await post(`${path}/${String(id)}/revoke`, carl)).body).toEqual(revoked.body);
  });
});

describe("keys", () => {
  it("are listed newest first, by pages, and never in clear", async () => {
    const names = ["one", "two", "three"];
    for (const name of names) await make(ana, { name, scopes: ["orders:read"] });
    const first = await get(`${path}?limit=2`, ana);
    expect((first.body.data as { name: string }[]).map(({ name }) => name)).toEqual(["three", "two"]);
    expect(first.headers.get("link")).toContain('rel="next"');
    const next = await get(`${path}?limit=1&cursor=${String(first.body.nextCursor)}`, ana);
    expect((next.body.data as { name: string }[]).map(({ name }) => name)).toEqual(["one"]);
    expect(first.text).not.toContain('"key":');
    const mixed = await get(`${path}?status=Revoked&cursor=${String(first.body.nextCursor)}`, ana);
    expect(mixed.body.code).toBe("cursor_filter_mismatch");
  });

  it("of another tenant or mode are not there", async () => {
    const { sql } = gateway.database;
    const tenant = (await createTenant(sql, `Stranger ${newId("ten")}`)).id;
    const stranger = await issueKey(sql, { tenant, mode: "Test", principal: "eve", scopes: ["keys:write"] });
    const live = await gateway.issue({ principal: "ana", mode: "Live" });
    const { proposalId } = (await make(ana, { scopes: ["orders:approve"] })).body;
    for (const who of [stranger, live]) {
      const answers = await Promise.all([
        get(`${path}/${ana.id}`, who),
        post(`${path}/${ana.id}/rotate`, who),
        post(`${path}/${ana.id}/revoke`, who),
        post(`${path}/proposals/${String(proposalId)}/approve`, who),
        post(`${path}/proposals/${String(proposalId)}/deny`, who),
        get(`${path}/${newId("key")}`, who),
        get(`${path}/${newId("po")}`, who),
      ]);
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
        answers.map(() => [404, "not_found"]),
      );
      const seen = await Promise.all([get(path, who), get(`${path}/proposals`, who)]);
      expect(seen.map(({ text }) => text).join()).not.toContain(ana.id);
    }
    expect(await opens(ana.key)).toBe(200);
  });

  it("are given by keys with keys:write alone", async () => {
    const { key } = await gateway.issue({ scopes: ["orders:read", "orders:approve", "policy:write"] });
    const refused = await Promise.all([get(path, { key }), make({ key }, { scopes: ["orders:read"] })]);
    expect(refused.map(({ body }) => [body.code, body.requiredScope])).toEqual([
      ["insufficient_scope", "keys:write"],
      ["insufficient_scope", "keys:write"],
    ]);
  });

  it("can't be brought back by the gateway's own role", async () => {
    const { sql } = gateway.database;
    const { id } = (await make(ana, { scopes: ["orders:read"] })).body;
    await post(`${path}/${String(id)}/revoke`, ana);
    await expect(sql("update api_key set revoked_at = null where revoked_at is not null")).rejects.toThrow(
      "can't come back to life",
    );
    await expect(
      sql("update key_proposal set status = 'Approved', decided_by = proposed_by, decided_at = now()"),
    ).rejects.toThrow("key_proposal_four_eyes");
  });
});
