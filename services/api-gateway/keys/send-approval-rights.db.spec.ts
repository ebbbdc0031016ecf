import { describe, expect, it } from "vitest";
import { Refusal } from "../../../contracts/errors.ts";
import { type ApiKeyId, uuidOf } from "../../../contracts/ids/ids.ts";
import { ApplyApprovalRights, ApproveOrder } from "../../../contracts/messages/orders.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { until } from "../../../test/stack/until.ts";
import { KeyDesk } from "../../../test/stack/services/key-desk.ts";

// The test plays orders.
const gateway = await forThisFile(startGateway());
const desk = await KeyDesk.open(gateway);
const [ana, bob] = await desk.people();
const lost = "1970-01-01T00:00:00.000Z";
const approver = (principal: string) =>
  gateway.issue({ principal, scopes: ["orders:read", "orders:approve"] });
const revoke = (key: { id: string }) => desk.post(`/v1/api-keys/${key.id}/revoke`, bob);

/** The rights that orders receives from now on. While it is away, it answers nothing useful. */
async function receiving({ isAway = false } = {}): Promise<unknown[]> {
  const received: unknown[] = [];
  await gateway.owner(ApplyApprovalRights, ({ data: { rights } }) => {
    if (isAway) throw new Refusal("service_unavailable", "Wait.");
    received.push(...rights);
    return { recorded: rights.length };
  });
  return received;
}

describe("a revocation", () => {
  it("is answered once orders has it, if it ends a right to approve", async () => {
    const received = await receiving();
    const [first, second] = [await approver("dora"), await approver("dora")];
    expect((await revoke(first)).status).toBe(200);
    expect(received).toEqual([]);
    expect((await revoke(second)).status).toBe(200);
    expect(received).toEqual([{ principal: "dora", sequence: 1, heldUntil: lost, heldSince: null }]);
  });

  it("is unavailable until orders has it, and ends the key all the same", async () => {
    const key = await approver("emil");
    await receiving({ isAway: true });
    const refused = await revoke(key);
    expect(refused.body).toMatchObject({ status: 503, code: "service_unavailable" });
    expect(await desk.opens(key.key)).toBe("api_key_invalid");
    const received = await receiving();
    expect((await revoke(key)).body).toMatchObject({ status: "Revoked" });
    expect(received).toMatchObject([{ principal: "emil", heldUntil: lost }]);
  });
});

describe("the rights of thousands of principals", () => {
  it("are sent a thousand at a time, because orders has three seconds for each request", async () => {
    const sizes: number[] = [];
    await gateway.owner(ApplyApprovalRights, ({ data: { rights } }) => {
      sizes.push(rights.length);
      return { recorded: rights.length };
    });
    const leaked = await gateway.issue({ principal: "lea", scopes: ["orders:read"] });
    const tenant = `(select tenant_id from gateway.api_key where id = '${uuidOf(leaked.id as ApiKeyId)}')`;
    await gateway.asOwner(`
      insert into gateway.api_key (id, tenant_id, mode, hash, prefix, last4, name, principal, scopes, created_by,
        created_by_key)
      select uuidv7(), tenant_id, mode, sha256(convert_to('lea ' || n, 'utf8')), prefix, last4, 'made ' || n,
        'lea ' || n, '{orders:read}', 'lea', id
      from gateway.api_key, generate_series(1, 2001) n
      where id = '${uuidOf(leaked.id as ApiKeyId)}'`);
    await gateway.asOwner(`
      insert into gateway.approval_right (tenant_id, mode, principal, sequence, held_until)
      select ${tenant}, 'Test', 'lea ' || n, 1, 'epoch' from generate_series(1, 2001) n`);
    // A slow machine may need more than one request of five seconds.
    await until("all have ended", async () => {
      const path = `/v1/api-keys/${leaked.id}/revoke`;
      const { status } = await desk.post(path, bob, { includeDescendants: true });
      return status === 200;
    });
    expect(sizes).toEqual([1_000, 1_000, 1]);
  });
});

describe("a rotation without overlap", () => {
  it("sends orders what it ends, and shows its key even while orders is away", async () => {
    const received = await receiving();
    const rotate = (key: { id: string }) =>
      desk.post(`/v1/api-keys/${key.id}/rotate`, ana, { overlapHours: 0 });
    await rotate(await approver("fred"));
    expect(received).toMatchObject([{ principal: "fred", heldUntil: lost }]);
    await receiving({ isAway: true });
    const rotated = await rotate(await approver("gina"));
    expect([rotated.status, String(rotated.body["key"]).includes("…")]).toEqual([202, false]);
  });
});

describe("an approval of a proposed key", () => {
  it("is answered even while orders is away: a repeat would find it approved", async () => {
    await receiving();
    await revoke(await approver("ines"));
    const scopes = ["orders:read", "orders:approve"];
    const { body: proposed } = await desk.make(ana, { principal: "ines", scopes });
    await receiving({ isAway: true });
    const path = `/v1/api-keys/proposals/${String(proposed.proposalId)}/approve`;
    const approved = await desk.post(path, bob);
    expect([approved.status, approved.body["status"]]).toEqual([200, "Approved"]);
    expect(await desk.opens(proposed.key)).toBe(200);
  });
});

describe("an approval", () => {
  it("carries its principal's right, so that it counts before the event of a new key", async () => {
    await receiving();
    const carried: unknown[] = [];
    await gateway.owner(ApproveOrder, ({ data }) => {
      carried.push(data.right);
      throw new Refusal("not_found", "Check the id.");
    });
    const old = await approver("hugo");
    await desk.post("/v1/payment-orders/po_1/approve", old);
    await revoke(old);
    await desk.post("/v1/payment-orders/po_1/approve", await approver("hugo"));
    expect(carried).toEqual([
      undefined,
      { principal: "hugo", sequence: 2, heldUntil: null, heldSince: expect.any(String) },
    ]);
  });
});
