/** What the audit log says of keys, under each key that something was done to. */
import { beforeEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { type Holder, KeyDesk } from "../../../test/stack/services/key-desk.ts";

const gateway = await forThisFile(startGateway());
const desk = await KeyDesk.open(gateway);
const reader = await gateway.issue({ principal: "reader", scopes: ["people:write"] });
let ana: Holder;
let bob: Holder;
beforeEach(async () => {
  [ana, bob] = await desk.people();
});

const path = "/v1/api-keys";
const wide = { scopes: ["orders:read", "orders:approve", "keys:write"] };

/** Oldest first. */
async function entriesAbout(id: unknown): Promise<unknown[]> {
  const { body } = await gateway.call("GET", `/v1/audit-log?objectId=${String(id)}`, { key: reader.key });
  return (body.data as { actor: string; action: string; details: object }[])
    .map(({ actor, action, details }) => ({ actor, action, details }))
    .toReversed();
}

describe("the audit log", () => {
  it("records each key that was revoked or denied because the key that made it was revoked", async () => {
    const { body: made } = await desk.make(ana, { scopes: ["orders:read"] });
    const { body: waiting } = await desk.make(ana, wide);
    await desk.post(`${path}/${ana.id}/revoke`, bob, { includeDescendants: true });
    const revokedWith = { apiKeyId: bob.id, revokedWith: ana.id };
    const revoked = { actor: "bob", action: "ApiKeyRevoked" };
    expect(await entriesAbout(ana.id)).toEqual([{ ...revoked, details: { apiKeyId: bob.id } }]);
    expect(await entriesAbout(made.id)).toEqual([
      { actor: "ana", action: "ApiKeyCreated", details: { apiKeyId: ana.id } },
      { ...revoked, details: revokedWith },
    ]);
    expect(await entriesAbout(waiting.id)).toMatchObject([
      { action: "ApiKeyProposed" },
      { actor: "bob", action: "ApiKeyDenied", details: revokedWith },
    ]);
  });

  it("records nothing for keys that keep working after the key that made them is revoked", async () => {
    const { body: made } = await desk.make(ana, { scopes: ["orders:read"] });
    await desk.post(`${path}/${ana.id}/revoke`, bob);
    expect(await entriesAbout(made.id)).toMatchObject([{ action: "ApiKeyCreated" }]);
  });

  it("has a rotated key under its new id, too", async () => {
    const { body: old } = await desk.make(ana, { scopes: ["orders:read"] });
    const { body: made } = await desk.post(`${path}/${String(old.id)}/rotate`, ana, { overlapHours: 1 });
    expect(await entriesAbout(old.id)).toMatchObject([
      { action: "ApiKeyCreated" },
      { actor: "ana", action: "ApiKeyRotated", details: { replacedBy: made.id } },
    ]);
    expect(await entriesAbout(made.id)).toMatchObject([
      { actor: "ana", action: "ApiKeyCreated", details: { replaces: old.id } },
    ]);
  });

  it("has a replacement that waited when its key was revoked", async () => {
    const { body: made } = await desk.post(`${path}/${ana.id}/rotate`, ana, { overlapHours: 1 });
    expect(made.status).toBe("Pending");
    await desk.post(`${path}/${ana.id}/revoke`, bob);
    expect(await entriesAbout(made.id)).toMatchObject([
      { actor: "ana", action: "ApiKeyProposed", details: { replaces: ana.id } },
      { actor: "bob", action: "ApiKeyDenied", details: { revokedWith: ana.id } },
    ]);
  });

  it("names the key with an approved proposal, and the proposal with the key", async () => {
    const { body: key } = await desk.make(ana, wide);
    const proposalId = String(key.proposalId);
    await desk.post(`${path}/proposals/${proposalId}/approve`, bob);
    expect(await entriesAbout(proposalId)).toEqual([
      { actor: "bob", action: "ApiKeyApproved", details: { apiKeyId: bob.id, keyId: key.id } },
    ]);
    expect(await entriesAbout(key.id)).toMatchObject([
      { actor: "ana", action: "ApiKeyProposed", details: { proposalId } },
      { actor: "bob", action: "ApiKeyApproved", details: { proposalId } },
    ]);
  });

  it("has each change of a key once, even if its request is repeated", async () => {
    const { body: key } = await desk.make(ana, { scopes: ["orders:read"] });
    const headers = { "idempotency-key": "once" };
    for (let n = 0; n < 2; n += 1) {
      await gateway.call("POST", `${path}/${String(key.id)}/revoke`, { key: bob.key, headers, body: {} });
    }
    expect(await entriesAbout(key.id)).toMatchObject([
      { action: "ApiKeyCreated" },
      { action: "ApiKeyRevoked" },
    ]);
  });
});
