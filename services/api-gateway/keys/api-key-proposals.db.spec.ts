import { beforeEach, describe, expect, it } from "vitest";
import { type ProposalId, uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { scopes } from "../../../contracts/http/scopes.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { type Holder, KeyDesk } from "../../../test/stack/services/key-desk.ts";
import { connectTo } from "../../../test/stack/servers/database.ts";
import { insertApiKey } from "./store/api-keys.ts";
import { newKey } from "./create-key.ts";

/** Three principals who may create keys; carl's key has no other writing scope. */
let ana: Holder;
let bob: Holder;
let carl: Holder;
const gateway = await forThisFile(startGateway());
const desk = await KeyDesk.open(gateway);
const admin = await forThisFile(connectTo(gateway.adminUrl));
beforeEach(async () => {
  [ana, bob, carl] = await desk.people();
});

const path = "/v1/api-keys";

describe("a key that may approve, set policy or create keys", () => {
  const wish = { scopes: ["orders:read", "orders:approve"] };

  it("is refused until another principal approves it", async () => {
    const made = await desk.make(ana, wish);
    expect(made.status).toBe(202);
    expect(made.body).toMatchObject({ status: "Pending", proposalId: expect.stringMatching(/^prop_/) });
    expect(await desk.opens(made.body.key)).toBe("api_key_invalid");
    const approved = await desk.post(`${path}/proposals/${String(made.body.proposalId)}/approve`, bob);
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
    expect(await desk.opens(made.body.key)).toBe(200);
  });

  it("is answered with 401 while it waits, which says so and names its proposal", async () => {
    const { key, proposalId } = (await desk.make(ana, wish)).body;
    const waits = await desk.get("/v1/payment-orders", { key: String(key) });
    expect(waits.body).toMatchObject({
      status: 401,
      code: "api_key_invalid",
      detail: `This key waits for an approval: it can be used once another principal has approved its proposal ${String(proposalId)}.`,
      proposalId,
    });
    await desk.post(`${path}/proposals/${String(proposalId)}/deny`, bob);
    const denied = await desk.get("/v1/payment-orders", { key: String(key) });
    expect(denied.body).toMatchObject({ code: "api_key_invalid" });
    expect(denied.body).not.toHaveProperty("proposalId");
  });

  it("can't be approved once it has ended, and doesn't end the key that it would replace", async () => {
    const old = await gateway.issue({ principal: "dora", scopes: ["orders:read", "orders:approve"] });
    const rotated = await desk.post(`${path}/${old.id}/rotate`, ana, { overlapHours: 1 });
    const made = await desk.make(ana, wish);
    const proposals = [made, rotated].map(({ body }) => String(body.proposalId));
    for (const id of proposals) {
      await admin.query("update gateway.key_proposal set expires_at = '2026-03-02T15:04:05Z' where id = $1", [
        uuidOf(id as ProposalId),
      ]);
      const refused = await desk.post(`${path}/proposals/${id}/approve`, bob);
      expect(refused.body).toMatchObject({
        status: 409,
        code: "invalid_state_transition",
        detail:
          "The proposed key ended at 2026-03-02T15:04:05.000Z. Deny the proposal, and create the key again with a later expiresAt.",
        currentStatus: "Expired",
      });
      expect((await desk.post(`${path}/proposals/${id}/deny`, bob)).body).toMatchObject({ status: "Denied" });
    }
    expect(await desk.opens(old.key)).toBe(200);
  });

  it("can't be approved by its proposer, not even with another key of theirs", async () => {
    const { proposalId } = (await desk.make(ana, wish)).body;
    const other = await gateway.issue({ principal: "ana" });
    const refused = await desk.post(`${path}/proposals/${String(proposalId)}/approve`, other);
    expect(refused.body).toMatchObject({ status: 403, code: "self_approval_not_allowed" });
  });

  it("can't be approved under an older name that looks like its proposer's or its own principal's", async () => {
    // Like keys from before names were compared by their looks. U+0430 is the Cyrillic letter that looks like an a.
    const book = { tenant: gateway.tenant, mode: "Test" } as const;
    const older = { principal: "an\u0430", name: "older", ipAllowlist: [], expiresAt: null };
    const { stored, key } = newKey(book, { ...older, scopes, createdBy: "operator", createdByKey: null });
    await gateway.units.run((unit) => insertApiKey(unit.sql, stored));
    const lookalikes = { key };
    const proposed = (await desk.make(ana, wish)).body.proposalId;
    const forAna = (await desk.make(bob, { ...wish, principal: "ana" })).body.proposalId;
    for (const proposal of [proposed, forAna]) {
      const refused = await desk.post(`${path}/proposals/${String(proposal)}/approve`, lookalikes);
      expect(refused.body).toMatchObject({ status: 403, code: "self_approval_not_allowed" });
    }
    // What exists stays valid: its principal gets further keys under exactly its name.
    const further = await desk.make(lookalikes, { principal: "an\u0430", scopes: ["orders:read"] });
    expect(further.body).toMatchObject({ principal: "an\u0430", status: "Active" });
  });

  it("can't be approved by its own principal", async () => {
    const { proposalId, key } = (await desk.make(ana, { ...wish, principal: "bob" })).body;
    const refused = await desk.post(`${path}/proposals/${String(proposalId)}/approve`, bob);
    expect(refused.body).toMatchObject({ status: 403, code: "self_approval_not_allowed" });
    expect(await desk.opens(key)).toBe("api_key_invalid");
  });

  it("can't be approved with a key that lacks one of its scopes", async () => {
    const { proposalId } = (await desk.make(ana, wish)).body;
    const refused = await desk.post(`${path}/proposals/${String(proposalId)}/approve`, carl);
    expect(refused.body).toMatchObject({ code: "insufficient_scope", requiredScopes: ["orders:approve"] });
  });

  it("can be denied, by its proposer too, and stays denied", async () => {
    const { proposalId, id, key } = (await desk.make(ana, wish)).body;
    const to = `${path}/proposals/${String(proposalId)}`;
    expect((await desk.post(`${to}/deny`, ana)).body).toMatchObject({ status: "Denied", decidedBy: "ana" });
    expect((await desk.post(`${to}/approve`, bob)).body).toMatchObject({
      code: "invalid_state_transition",
      currentStatus: "Denied",
    });
    expect((await desk.get(`${path}/${String(id)}`, ana)).body).toMatchObject({
      status: "Denied",
      proposalId: null,
    });
    expect(await desk.opens(key)).toBe("api_key_invalid");
  });

  it("is decided once, by one of two concurrent decisions", async () => {
    const { proposalId } = (await desk.make(ana, wish)).body;
    const dora = await gateway.issue({ principal: "dora" });
    const answers = await Promise.all(
      [bob, dora].map((who) => desk.post(`${path}/proposals/${String(proposalId)}/approve`, who)),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  });

  it("can't be created for a principal that has only a reading key from the same maker", async () => {
    const reader = await desk.make(ana, { principal: "robot", scopes: ["orders:read"] });
    expect(reader.status).toBe(201);
    const scopes = ["orders:read", "keys:write"];
    expect((await desk.make(ana, { principal: "robot", scopes })).body).toMatchObject({
      code: "invalid_field",
      errors: [{ pointer: "/principal" }],
    });
    // Once another principal has let it act, it is known to two.
    const maker = await desk.make(ana, { principal: "robot", scopes: ["orders:write"] });
    await desk.post(`${path}/proposals/${String(maker.body.proposalId)}/approve`, bob);
    expect((await desk.make(ana, { principal: "robot", scopes })).status).toBe(202);
  });

  it("can't be created for an unknown principal", async () => {
    const refused = await desk.make(ana, { ...wish, principal: "sock puppet" });
    expect(refused.body).toMatchObject({
      status: 400,
      code: "invalid_field",
      errors: [{ pointer: "/principal" }],
    });
  });

  it("is listed among the proposals of its status, or of several", async () => {
    const { proposalId, id } = (await desk.make(ana, wish)).body;
    const open = await desk.get(`${path}/proposals?status=Open&limit=1`, bob);
    expect(open.body).toMatchObject({ data: [{ id: proposalId, apiKey: { id, status: "Pending" } }] });
    expect((await desk.get(`${path}?status=Pending&limit=1`, bob)).body).toMatchObject({ data: [{ id }] });

    const denied = (await desk.make(ana, wish)).body;
    await desk.post(`${path}/proposals/${String(denied.proposalId)}/deny`, ana);
    const both = { data: [{ id: denied.proposalId }, { id: proposalId }] };
    expect((await desk.get(`${path}/proposals?status=Open&status=Denied&limit=2`, bob)).body).toMatchObject(
      both,
    );
    const keys = { data: [{ id: denied.id }, { id }] };
    expect((await desk.get(`${path}?status=Denied&status=Pending&limit=2`, bob)).body).toMatchObject(keys);
  });

  it("can't be revoked or rotated while it is Pending, only denied", async () => {
    const { id, proposalId } = (await desk.make(ana, wish)).body;
    const revoked = await desk.post(`${path}/${String(id)}/revoke`, ana);
    expect(revoked.body).toMatchObject({
      code: "invalid_state_transition",
      detail: `The key is not active yet. Deny its proposal ${String(proposalId)}.`,
    });
    expect((await desk.post(`${path}/${String(id)}/rotate`, ana)).body.code).toBe("invalid_state_transition");
  });
});

describe("a key for another principal", () => {
  it("needs an approval even if it can only read", async () => {
    const made = await desk.make(ana, { principal: "bob", scopes: ["orders:read"] });
    expect(made.body).toMatchObject({ status: "Pending", principal: "bob", createdBy: "ana" });
    const approved = await desk.post(`${path}/proposals/${String(made.body.proposalId)}/approve`, carl);
    expect(approved.body).toMatchObject({ status: "Approved", reason: "It acts for bob." });
  });

  it("works at once if the principal is new and the key can create nothing", async () => {
    const made = await desk.make(ana, { principal: "dashboard", scopes: ["orders:read"] });
    expect(made.body).toMatchObject({ status: "Active", principal: "dashboard" });
  });

  it("needs an approval if the principal is new and the key can create orders: nobody approves their own orders under another name", async () => {
    const made = await desk.make(ana, { principal: "second self", scopes: ["orders:write"] });
    expect(made.body).toMatchObject({ status: "Pending" });
    expect(await desk.opens(made.body.key)).toBe("api_key_invalid");
  });

  it.each([
    ["another case", "ANA"],
    ["a Cyrillic letter", "\u0430na"],
    ["a zero", "b0b"],
    ["a capital I", "carI"],
    ["fullwidth letters", "\uff42ob"],
  ])("can't have the name of another with %s", async (_what, principal) => {
    const refused = await desk.make(ana, { principal, scopes: ["orders:read"] });
    expect(refused.body).toMatchObject({
      status: 400,
      code: "invalid_field",
      detail: expect.stringMatching(/^There is already a principal (ana|bob|carl)\. Use exactly this name/),
    });
  });

  it("must be spelt like the principal of an open proposal", async () => {
    await desk.make(ana, { principal: "Ärzte", scopes: ["orders:write"] });
    const refused = await desk.make(bob, { principal: "ärzte", scopes: ["orders:read"] });
    expect(refused.body).toMatchObject({
      code: "invalid_field",
      detail: "There is already a principal Ärzte. Use exactly this name, or choose another.",
    });
  });
});
