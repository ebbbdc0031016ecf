import { beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { type Holder, KeyDesk } from "../../../test/stack/services/key-desk.ts";
import { createTenant } from "../tenants/create-tenant.ts";
import { createKeyAsOperator } from "./create-key-as-operator.ts";

/** Three principals who may create keys; carl's key has no other writing scope. */
let ana: Holder;
let bob: Holder;
let carl: Holder;
const gateway = await forThisFile(startGateway());
const desk = await KeyDesk.open(gateway);
beforeEach(async () => {
  [ana, bob, carl] = await desk.people();
});

const path = "/v1/api-keys";

describe("the key of the request itself", () => {
  it("can be read without any scope of its own, and is the key that its list shows", async () => {
    const { body: made } = await desk.make(ana, { scopes: ["simulate"], ipAllowlist: ["127.0.0.0/8"] });
    const { key, ...shown } = made;
    const own = await desk.get(`${path}/me`, { key: String(key) });
    expect(own.status).toBe(200);
    expect(own.body).toEqual({ ...shown, lastUsedAt: own.body["lastUsedAt"] });
    expect(own.body).not.toHaveProperty("key");
  });

  it("can't be read without a key, and not by one that was revoked", async () => {
    const { body: made } = await desk.make(ana, { scopes: ["orders:read"] });
    await desk.post(`${path}/${String(made["id"])}/revoke`, ana);
    expect((await desk.get(`${path}/me`, { key: String(made["key"]) })).body["code"]).toBe("api_key_invalid");
    expect((await gateway.call("GET", `${path}/me`)).body).toMatchObject({ code: "api_key_missing" });
  });
});

describe("a key for the caller's own principal", () => {
  it("works at once, is shown once, and names its creator", async () => {
    const made = await desk.make(ana, { scopes: ["orders:read"], ipAllowlist: ["127.0.0.0/8"] });
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
    expect(await desk.opens(key)).toBe(200);
    expect((await desk.get(`${path}/${String(shown.id)}`, bob)).body).toEqual(shown);
  });

  it("has no scope that its creator's key lacks", async () => {
    const refused = await desk.make(carl, { scopes: ["orders:read", "simulate", "ledger:read"] });
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
    const refused = await desk.make(ana, { scopes: ["orders:read"], ...wish });
    expect(refused.body).toMatchObject({ status: 400, code: "invalid_field", errors: [{ pointer }] });
  });

  it("expires at its expiresAt", async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const made = await desk.make(ana, { scopes: ["orders:read"], expiresAt });
    expect(made.body).toMatchObject({ status: "Active", expiresAt });
  });

  it("takes its expiresAt in any form of RFC 3339", async () => {
    const expiresAt = "2199-03-02 10:00:00.25-05:00";
    const made = await desk.make(ana, { scopes: ["orders:read"], expiresAt });
    expect(made.body).toMatchObject({ status: "Active", expiresAt: "2199-03-02T15:00:00.250Z" });
  });

  it("is replayed for its Idempotency-Key, but never in clear", async () => {
    const headers = { "idempotency-key": "a spare key" };
    const body = { name: "spare", scopes: ["orders:read"] };
    const first = await desk.post(path, ana, body, headers);
    const again = await desk.post(path, ana, body, headers);
    expect(again.status).toBe(201);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body).toEqual({ ...first.body, key: `qt_test_…${String(first.body.key).slice(-4)}` });
    const kept = await gateway.database.sql("select response from idempotency");
    expect(JSON.stringify(kept)).not.toContain(String(first.body.key).slice(8, 40));
  });
});

describe("a rotation", () => {
  const mine = async (more: object = {}) =>
    (await desk.make(ana, { scopes: ["orders:read"], ipAllowlist: ["127.0.0.1"], ...more })).body;

  it("issues a replacement with the same scopes, and lets the old key work for a while", async () => {
    const old = await mine();
    const before = Date.now();
    const rotated = await desk.post(`${path}/${String(old.id)}/rotate`, ana, { overlapHours: 2 });
    expect(rotated.status).toBe(201);
    expect(rotated.body).toMatchObject({
      name: "spare",
      principal: "ana",
      scopes: ["orders:read"],
      ipAllowlist: ["127.0.0.1"],
      status: "Active",
      expiresAt: null,
    });
    expect([await desk.opens(old.key), await desk.opens(rotated.body.key)]).toEqual([200, 200]);
    const { body } = await desk.get(`${path}/${String(old.id)}`, ana);
    expect(body).toMatchObject({ status: "Active", replacedBy: rotated.body.id });
    const lastsMs = Date.parse(String(body.expiresAt)) - before;
    expect(Math.abs(lastsMs - 2 * 3_600_000)).toBeLessThan(60_000);
  });

  it("without overlap revokes the old key at once", async () => {
    const old = await mine();
    expect(await desk.opens(old.key)).toBe(200);
    await desk.post(`${path}/${String(old.id)}/rotate`, ana, { overlapHours: 0 });
    expect(await desk.opens(old.key)).toBe("api_key_invalid");
    expect((await desk.get(`${path}/${String(old.id)}`, ana)).body).toMatchObject({
      status: "Revoked",
      revokedBy: "ana",
    });
  });

  it("does not extend a key's life", async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const old = await mine({ expiresAt });
    const rotated = await desk.post(`${path}/${String(old.id)}/rotate`, ana);
    expect(rotated.body.expiresAt).toBe(expiresAt);
    expect((await desk.get(`${path}/${String(old.id)}`, ana)).body.expiresAt).toBe(expiresAt);
  });

  it("can be done once per key", async () => {
    const old = await mine();
    const [first, second] = await Promise.all([
      desk.post(`${path}/${String(old.id)}/rotate`, ana),
      desk.post(`${path}/${String(old.id)}/rotate`, ana),
    ]);
    const [made, refused] = first.status === 201 ? [first, second] : [second, first];
    expect(refused.body).toMatchObject({
      status: 409,
      code: "invalid_state_transition",
      resourceId: made.body.id,
    });
  });

  it("of a key that may approve needs an approval, and the old key works until then", async () => {
    const rotated = await desk.post(`${path}/${ana.id}/rotate`, ana, { overlapHours: 1 });
    expect([rotated.status, rotated.body.status]).toEqual([202, "Pending"]);
    expect([await desk.opens(ana.key), await desk.opens(rotated.body.key)]).toEqual([200, "api_key_invalid"]);
    await desk.post(`${path}/proposals/${String(rotated.body.proposalId)}/approve`, bob);
    expect([await desk.opens(ana.key), await desk.opens(rotated.body.key)]).toEqual([200, 200]);
    expect((await desk.get(`${path}/${ana.id}`, bob)).body.replacedBy).toBe(rotated.body.id);
  });

  it("without overlap ends the old key at once, even while the new one waits for an approval", async () => {
    const rotated = await desk.post(`${path}/${ana.id}/rotate`, bob, { overlapHours: 0 });
    expect([rotated.status, rotated.body.status]).toEqual([202, "Pending"]);
    expect([await desk.opens(ana.key), await desk.opens(rotated.body.key)]).toEqual([
      "api_key_invalid",
      "api_key_invalid",
    ]);
    const dora = await gateway.issue({ principal: "dora" });
    await desk.post(`${path}/proposals/${String(rotated.body.proposalId)}/approve`, dora);
    expect(await desk.opens(rotated.body.key)).toBe(200);
    expect((await desk.get(`${path}/${ana.id}`, bob)).body).toMatchObject({
      status: "Revoked",
      revokedBy: "bob",
      replacedBy: rotated.body.id,
    });
  });

  it("needs no second person where making the key needed none", async () => {
    const old = (await desk.make(ana, { principal: "dashboard", scopes: ["orders:read"] })).body;
    const rotated = await desk.post(`${path}/${String(old.id)}/rotate`, ana);
    expect([rotated.status, rotated.body.status]).toEqual([201, "Active"]);
    const again = await desk.post(`${path}/${String(rotated.body.id)}/rotate`, ana);
    expect(again.body).toMatchObject({ status: "Active", principal: "dashboard" });
    // For bob it would be a key in the name of an existing principal.
    const byBob = await desk.post(`${path}/${String(again.body.id)}/rotate`, bob);
    expect([byBob.status, byBob.body.status]).toEqual([202, "Pending"]);
  });

  it("needs every scope of the key: otherwise it would be a way to more scopes", async () => {
    const refused = await desk.post(`${path}/${ana.id}/rotate`, carl);
    expect(refused.body).toMatchObject({ status: 403, code: "insufficient_scope" });
  });
});

describe("a revocation", () => {
  it("takes effect at once and is permanent", async () => {
    const { id, key } = (await desk.make(ana, { scopes: ["orders:read"] })).body;
    expect(await desk.opens(key)).toBe(200);
    const revoked = await desk.post(`${path}/${String(id)}/revoke`, bob);
    expect(revoked.body).toMatchObject({ status: "Revoked", revokedBy: "bob" });
    expect(await desk.opens(key)).toBe("api_key_invalid");
    expect((await desk.post(`${path}/${String(id)}/revoke`, carl)).body).toEqual(revoked.body);
  });
});

describe("keys", () => {
  it("are listed newest first, in pages, and never in clear", async () => {
    const names = ["one", "two", "three"];
    for (const name of names) await desk.make(ana, { name, scopes: ["orders:read"] });
    const first = await desk.get(`${path}?limit=2`, ana);
    expect((first.body.data as { name: string }[]).map(({ name }) => name)).toEqual(["three", "two"]);
    expect(first.headers.get("link")).toContain('rel="next"');
    const next = await desk.get(`${path}?limit=1&cursor=${String(first.body.nextCursor)}`, ana);
    expect((next.body.data as { name: string }[]).map(({ name }) => name)).toEqual(["one"]);
    expect(first.text).not.toContain('"key":');
    const mixed = await desk.get(`${path}?status=Revoked&cursor=${String(first.body.nextCursor)}`, ana);
    expect(mixed.body.code).toBe("cursor_filter_mismatch");
  });

  it("of another tenant or mode can't be found", async () => {
    const { sql } = gateway.database;
    const tenant = (await createTenant(sql, `Stranger ${newId("ten")}`)).id;
    const stranger = await gateway.units.run((unit) =>
      createKeyAsOperator(unit, { tenant, mode: "Test", principal: "eve", scopes: ["keys:write"] }),
    );
    const live = await gateway.issue({ principal: "ana", mode: "Live" });
    const { proposalId } = (await desk.make(ana, { scopes: ["orders:approve"] })).body;
    for (const who of [stranger, live]) {
      const answers = await Promise.all([
        desk.get(`${path}/${ana.id}`, who),
        desk.post(`${path}/${ana.id}/rotate`, who),
        desk.post(`${path}/${ana.id}/revoke`, who),
        desk.post(`${path}/proposals/${String(proposalId)}/approve`, who),
        desk.post(`${path}/proposals/${String(proposalId)}/deny`, who),
        desk.get(`${path}/${newId("key")}`, who),
        desk.get(`${path}/${newId("po")}`, who),
      ]);
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
        answers.map(() => [404, "not_found"]),
      );
      const seen = await Promise.all([desk.get(path, who), desk.get(`${path}/proposals`, who)]);
      expect(seen.map(({ text }) => text).join()).not.toContain(ana.id);
    }
    expect(await desk.opens(ana.key)).toBe(200);
  });

  it("can only be created with keys:write", async () => {
    const { key } = await gateway.issue({ scopes: ["orders:read", "orders:approve", "policy:write"] });
    const refused = await Promise.all([
      desk.get(path, { key }),
      desk.make({ key }, { scopes: ["orders:read"] }),
    ]);
    expect(refused.map(({ body }) => [body.code, body.requiredScope])).toEqual([
      ["insufficient_scope", "keys:write"],
      ["insufficient_scope", "keys:write"],
    ]);
  });

  it("can't be restored by the gateway's own role", async () => {
    const { sql } = gateway.database;
    const { id } = (await desk.make(ana, { scopes: ["orders:read"] })).body;
    await desk.post(`${path}/${String(id)}/revoke`, ana);
    await expect(sql("update api_key set revoked_at = null where revoked_at is not null")).rejects.toThrow(
      "can't come back to life",
    );
    await expect(
      sql("update key_proposal set status = 'Approved', decided_by = proposed_by, decided_at = now()"),
    ).rejects.toThrow("key_proposal_four_eyes");
  });
});
