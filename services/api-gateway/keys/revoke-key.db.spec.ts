import { beforeEach, describe, expect, it } from "vitest";
import { type ApiKeyId, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { ApplyApprovalRights } from "../../../contracts/messages/orders.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { type Holder, KeyDesk } from "../../../test/stack/services/key-desk.ts";
import { connectTo } from "../../../test/stack/servers/database.ts";
import { until } from "../../../test/stack/until.ts";
import { revokeKey } from "./revoke-key.ts";

let ana: Holder;
let bob: Holder;
const gateway = await forThisFile(startGateway());
const desk = await KeyDesk.open(gateway);
beforeEach(async () => {
  [ana, bob] = await desk.people();
});

const path = "/v1/api-keys";

describe("a revocation of a key whose replacement waits", () => {
  async function waiting(overlapHours: number) {
    const key = await gateway.issue({ principal: "dora", scopes: ["orders:approve"] });
    const { body } = await desk.post(`${path}/${key.id}/rotate`, ana, { overlapHours });
    return { id: key.id, proposalId: String(body.proposalId) };
  }

  async function deniedBy(proposalId: string): Promise<unknown> {
    const { body } = await desk.get(`${path}/proposals?status=Denied`, bob);
    return (body["data"] as { id: string; decidedBy: string }[]).find(({ id }) => id === proposalId)
      ?.decidedBy;
  }

  it.each([0, 1])("denies it, with an overlap of %i hours", async (overlapHours) => {
    const { id, proposalId } = await waiting(overlapHours);
    expect((await desk.post(`${path}/${id}/revoke`, bob)).body).toMatchObject({ status: "Revoked" });
    expect(await deniedBy(proposalId)).toBe("bob");
    const late = await desk.post(`${path}/proposals/${proposalId}/approve`, bob);
    expect(late.body).toMatchObject({ code: "invalid_state_transition", currentStatus: "Denied" });
  });

  it("denies it where the operator revokes the key after its rotation ended it", async () => {
    const { id, proposalId } = await waiting(0);
    await gateway.units.run((unit) => revokeKey(unit, id));
    expect(await deniedBy(proposalId)).toBe("operator");
    expect(await gateway.units.run((unit) => revokeKey(unit, id))).toMatchObject({ revoked: [], denied: [] });
    await expect(gateway.units.run((unit) => revokeKey(unit, newId("key")))).rejects.toThrow("no active key");
  });

  it("denies it where the key is revoked with the key that made it", async () => {
    const child = await desk.make(ana, { scopes: ["orders:read", "orders:approve"] });
    await desk.post(`${path}/proposals/${String(child.body.proposalId)}/approve`, bob);
    const rotated = await desk.post(`${path}/${String(child.body.id)}/rotate`, bob, { overlapHours: 1 });
    await desk.post(`${path}/${ana.id}/revoke`, bob, { includeDescendants: true });
    expect(await deniedBy(String(rotated.body.proposalId))).toBe("bob");
  });
});

describe("a revocation of a key with the keys that it made", () => {
  const ended = (answer: { readonly body: Record<string, unknown> }) =>
    answer.body["descendants"] as { readonly id: string; readonly status: string }[];

  /** Keys that ana's key made. */
  const insertMade = (count: number, principal: string, scopes: string) =>
    gateway.asOwner(`
      insert into gateway.api_key
        (id, tenant_id, mode, hash, prefix, last4, name, principal, scopes, created_by, created_by_key)
      select uuidv7(), tenant_id, mode, sha256(convert_to('${principal} ' || n, 'utf8')), prefix, last4, 'made ' || n,
        '${principal}', '${scopes}', 'ana', id
      from gateway.api_key, generate_series(1, ${count}) n
      where id = '${uuidOf(ana.id as ApiKeyId)}'`);

  it("ends thousands of them, and records each", async () => {
    await insertMade(5_000, "ana", "{orders:read}");
    // A slow machine may need more than one request of five seconds; each goes on after the one before.
    await until("all have ended", async () => {
      const { status } = await desk.post(`${path}/${ana.id}/revoke`, bob, { includeDescendants: true });
      expect([200, 504]).toContain(status);
      return status === 200;
    });
    const { body: left } = await desk.post(`${path}/${ana.id}/revoke`, bob);
    expect(left["descendants"]).toEqual([]);
    const [recorded] = await gateway.database.sql<{ entries: number; keys: number }>(
      `select count(*)::int as entries, count(distinct object_id)::int as keys
       from audit
       where action = 'ApiKeyRevoked'
         and details ->> 'revokedWith' = $1`,
      [ana.id],
    );
    expect(recorded).toEqual({ entries: 5_000, keys: 5_000 });
  });

  it("ends the key first, then what it can in time; a repeat ends the rest, and its answer has all", async () => {
    await insertMade(1_000, "nora", "{orders:approve}");
    const received: string[] = [];
    await gateway.owner(ApplyApprovalRights, ({ data: { rights } }) => {
      received.push(...rights.map(({ principal }) => principal));
      return { recorded: rights.length };
    });
    const { body: child } = await desk.make(ana, { scopes: ["orders:read"] });
    const session = await connectTo(gateway.adminUrl);
    const headers = { "idempotency-key": "leaked" };
    const revoke = () => desk.post(`${path}/${ana.id}/revoke`, bob, { includeDescendants: true }, headers);
    try {
      await session.query("begin");
      await session.query("select from gateway.api_key where id = $1 for update", [
        uuidOf(child.id as ApiKeyId),
      ]);
      const late = await revoke();
      expect([late.status, late.body["code"]]).toEqual([504, "upstream_timeout"]);
      expect(await desk.opens(ana.key)).toBe("api_key_invalid");
      expect(await desk.opens(child.key)).toBe(200);
      expect(received).toEqual([]);
    } finally {
      await session.end();
    }
    const again = await revoke();
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, null]);
    expect(ended(again)).toHaveLength(1_001);
    expect(ended(again)[0]).toMatchObject({ id: child.id, status: "Revoked" });
    expect(received).toContain("nora");
    expect(await desk.opens(child.key)).toBe("api_key_invalid");
  });
});
