import { beforeEach, describe, expect, it } from "vitest";
import { type ApiKeyId, bookIdOf, type ProposalId, uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { type Holder, KeyDesk } from "../../../test/stack/services/key-desk.ts";
import type { KnownCaller } from "../auth/domain/caller.ts";
import { createKey } from "./create-key.ts";
import { approveKeyProposal } from "./decide-proposal.ts";

let ana: Holder;
let bob: Holder;
const gateway = await forThisFile(startGateway());
const desk = await KeyDesk.open(gateway);
beforeEach(async () => {
  [ana, bob] = await desk.people();
});

const path = "/v1/api-keys";

describe("a key that made other keys", () => {
  /** ana makes a key, which makes another, which asks for one that waits. */
  async function family() {
    const wide = { scopes: ["orders:read", "keys:write", "orders:approve"] };
    const child = (await desk.make(ana, wide)).body;
    await desk.post(`${path}/proposals/${String(child.proposalId)}/approve`, bob);
    const made = { key: String(child.key) };
    const grandchild = (await desk.make(made, { scopes: ["orders:read"] })).body;
    const waiting = (await desk.make(made, wide)).body;
    const stranger = (await desk.make(bob, { scopes: ["orders:read"] })).body;
    return { child, grandchild, waiting, stranger };
  }
  const idsOf = (keys: unknown) => (keys as { id: string }[]).map(({ id }) => id).toSorted();

  it("is revoked alone, and the answer lists the keys that it made and that still work or wait", async () => {
    const { child, grandchild, waiting } = await family();
    const revoked = await desk.post(`${path}/${ana.id}/revoke`, bob);
    expect(revoked.status).toBe(200);
    expect(idsOf(revoked.body.descendants)).toEqual(idsOf([child, grandchild, waiting]));
    expect(await desk.opens(grandchild.key)).toBe(200);
  });

  it("is revoked with all of them on request: those that wait can never be approved", async () => {
    const { child, grandchild, waiting, stranger } = await family();
    // A key that was revoked in between does not hide the keys that it made.
    await desk.post(`${path}/${String(child.id)}/revoke`, bob);
    const revoked = await desk.post(`${path}/${ana.id}/revoke`, bob, { includeDescendants: true });
    const ended = revoked.body.descendants as { id: string; status: string }[];
    expect(Object.fromEntries(ended.map(({ id, status }) => [id, status]))).toEqual({
      [String(grandchild.id)]: "Revoked",
      [String(waiting.id)]: "Denied",
    });
    expect(await desk.opens(grandchild.key)).toBe("api_key_invalid");
    expect(await desk.opens(stranger.key)).toBe(200);
    const late = await desk.post(`${path}/proposals/${String(waiting.proposalId)}/approve`, bob);
    expect(late.body).toMatchObject({ code: "invalid_state_transition", currentStatus: "Denied" });
    const again = await desk.post(`${path}/${ana.id}/revoke`, bob, { includeDescendants: true });
    expect(again.body).toMatchObject({ status: "Revoked", descendants: revoked.body.descendants });
  });

  it("makes no further key while it is revoked with them", async () => {
    const made: Promise<unknown>[] = [];
    const revoked = desk.post(`${path}/${ana.id}/revoke`, bob, { includeDescendants: true });
    for (let n = 0; n < 10; n += 1) {
      made.push(desk.make(ana, { scopes: ["orders:read"] }).then(({ body }) => body.key));
    }
    await revoked;
    const keys = (await Promise.all(made)).filter((key) => key !== undefined);
    const opened = await Promise.all(keys.map((key) => desk.opens(key)));
    expect(opened.filter((answer) => answer === 200)).toEqual([]);
  });
});

describe("a key that is over, but was still in a gateway's cache when the request came", () => {
  const called = ({ id }: Holder, principal: string): KnownCaller => ({
    apiKeyId: id as ApiKeyId,
    session: null,
    tenant: gateway.tenant,
    tenantActive: true,
    mode: "Test",
    book: bookIdOf(gateway.tenant, "Test"),
    principal,
    scopes: new Set(["orders:read", "orders:approve", "keys:write"]),
    expiresAt: null,
    ipAllowlist: [],
  });
  const ends = (column: "expires_at" | "revoked_at", { id }: Holder) =>
    gateway.database.sql(`update api_key set ${column} = now() where id = $1`, [uuidOf(id as ApiKeyId)]);
  const invalid = { name: "Refusal", code: "api_key_invalid" };

  it.each(["expires_at", "revoked_at"] as const)("makes no key (%s)", async (column) => {
    const make = () =>
      gateway.units.run((unit) =>
        createKey(unit, called(ana, "ana"), { name: "spare", scopes: ["orders:read"] }),
      );
    expect((await make()).apiKey.status).toBe("Active");
    await ends(column, ana);
    await expect(make()).rejects.toMatchObject(invalid);
  });

  it("approves no key", async () => {
    const { body } = await desk.make(ana, { scopes: ["orders:read", "orders:approve"] });
    const id = body.proposalId as ProposalId;
    await ends("revoked_at", bob);
    const approve = (by: KnownCaller) => gateway.units.run((unit) => approveKeyProposal(unit, by, id));
    await expect(approve(called(bob, "bob"))).rejects.toMatchObject(invalid);
    const other = await gateway.issue({ principal: "bob" });
    expect((await approve(called(other, "bob"))).status).toBe("Approved");
  });
});

describe("a key made by a limited key", () => {
  const hour = 3_600_000;
  const soon = new Date(Date.now() + hour).toISOString();
  const limited = async () =>
    (await gateway.issue({ principal: "ana", expiresAt: new Date(soon), ipAllowlist: ["127.0.0.0/8"] })).key;

  it("has its maker's expiry and addresses where it names none", async () => {
    const made = await desk.make({ key: await limited() }, { scopes: ["orders:read"] });
    expect([made.status, made.body.status]).toEqual([201, "Active"]);
    expect(made.body).toMatchObject({ expiresAt: soon, ipAllowlist: ["127.0.0.0/8"] });
  });

  it.each([
    { expiresAt: new Date(Date.now() + 2 * hour).toISOString() },
    { ipAllowlist: [] },
    { ipAllowlist: ["127.0.0.0/7"] },
  ])("is a proposal with %o", async (reach) => {
    const made = await desk.make({ key: await limited() }, { scopes: ["orders:read"], ...reach });
    expect([made.status, made.body.status]).toEqual([202, "Pending"]);
  });

  it("is a proposal too if it replaces a key that ends later", async () => {
    const old = (await desk.make(ana, { scopes: ["orders:read"] })).body;
    const rotated = await desk.post(`${path}/${String(old.id)}/rotate`, { key: await limited() });
    expect([rotated.status, rotated.body.status]).toEqual([202, "Pending"]);
  });
});
