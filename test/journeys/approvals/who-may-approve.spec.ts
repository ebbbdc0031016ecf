import { describe, expect, it } from "vitest";
import type {
  InboundPayment,
  LedgerTransaction,
  PaymentOrder,
} from "../../../clients/typescript/types.gen.ts";
import type { ApiKeyCreated, ApiKeyRevoked } from "../../../contracts/http/api-keys.ts";
import type { Problem } from "../../../contracts/http/problem.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import { approve } from "../../world/actions.ts";
import { received, sendsTo } from "../../world/inbound.ts";
import { issueAnotherKey } from "../../world/system/operator.ts";
import { Taxpayer } from "../../world/taxpayer.ts";
import { usd } from "../../world/usd.ts";
import { OwnWorld } from "../../world/system/own-world.ts";

// Nobody moves money beyond their part: over HTTP, through all five services.
const world = await forThisFile(OwnWorld.start());
const treasury = await world.payerNamed("Treasury");
type Reply<T> = T & Pick<Problem, "code" | "detail">;
const send = <T>(key: string, method: "GET" | "POST" | "PUT", path: string, body?: unknown) =>
  world.send<Reply<T>>(key, method, path, body === undefined ? {} : { body });
const pending = async (amountCents: number): Promise<PaymentOrder> => {
  const order = await treasury.pays(amountCents);
  return world.reaches(order.id, ({ status }) => status === "Pending");
};

describe("an approver who leaves", () => {
  it("takes their approvals along: the order waits for another, also after a crash of everything", async () => {
    const { admin } = world.tenant.keys;
    const scopes = ["orders:read", "orders:approve"] as const;
    const key = await issueAnotherKey(world, { principal: "leaver", mode: "Test", scopes });
    const { id } = await pending(usd("60000.00"));
    await send(key, "POST", `/v1/payment-orders/${id}/approve`);
    const keys = await send<{ data: { id: string; principal: string }[] }>(admin, "GET", "/v1/api-keys");
    const mine = keys.body.data.find(({ principal }) => principal === "leaver");
    await send<ApiKeyRevoked>(admin, "POST", `/v1/api-keys/${String(mine?.id)}/revoke`);
    for (const service of ["gateway", "orders"] as const) {
      for (const instance of world.instancesOf(service)) {
        await world.kill(instance);
        await world.replace(instance);
      }
    }
    await until("the approval does not count", async () => {
      const { approval } = await world.order(id);
      return approval.received === 0 ? approval : undefined;
    });
    expect((await approve(world, id, "approver1")).body.approval).toMatchObject({ required: 2, received: 1 });
    expect((await approve(world, id, "approver2")).body.approval).toMatchObject({ required: 2, received: 2 });
    expect((await world.comesToRest(id)).status).toBe("Completed");
  });

  it("keeps them where a key is only rotated", async () => {
    const { admin } = world.tenant.keys;
    const partner = await issueAnotherKey(world, {
      principal: "partner",
      mode: "Test",
      scopes: ["orders:read", "orders:approve", "keys:write"],
    });
    const { id } = await pending(usd("60000.00"));
    await send(partner, "POST", `/v1/payment-orders/${id}/approve`);
    const keys = await send<{ data: { id: string; principal: string }[] }>(admin, "GET", "/v1/api-keys");
    const old = keys.body.data.find(({ principal }) => principal === "partner");
    const rotated = await send<ApiKeyCreated>(partner, "POST", `/v1/api-keys/${String(old?.id)}/rotate`, {
      overlapHours: 1,
    });
    await send(admin, "POST", `/v1/api-keys/proposals/${String(rotated.body.proposalId)}/approve`);
    await send(admin, "POST", `/v1/api-keys/${String(old?.id)}/revoke`);
    expect((await approve(world, id, "approver1")).body.approval).toMatchObject({ required: 2, received: 2 });
    expect((await world.comesToRest(id)).status).toBe("Completed");
  });

  it("does not bring them back by a rotation that waited while their last key was revoked", async () => {
    const { admin } = world.tenant.keys;
    const scopes = ["orders:read", "orders:approve", "keys:write"] as const;
    const key = await issueAnotherKey(world, { principal: "xen", mode: "Test", scopes });
    await issueAnotherKey(world, { principal: "xen", mode: "Test", scopes });
    const { id } = await pending(usd("60000.00"));
    await send(key, "POST", `/v1/payment-orders/${id}/approve`);
    const keys = await send<{ data: { id: string; principal: string }[] }>(admin, "GET", "/v1/api-keys");
    const [first, second] = keys.body.data.filter(({ principal }) => principal === "xen");
    const rotated = await send<ApiKeyCreated>(key, "POST", `/v1/api-keys/${String(first?.id)}/rotate`, {
      overlapHours: 0,
    });
    await send<ApiKeyRevoked>(admin, "POST", `/v1/api-keys/${String(second?.id)}/revoke`);
    await until("the approval does not count", async () => {
      const { approval } = await world.order(id);
      return approval.received === 0 ? approval : undefined;
    });
    const proposal = `/v1/api-keys/proposals/${String(rotated.body.proposalId)}/approve`;
    expect((await send<object>(admin, "POST", proposal)).status).toBe(200);
    expect((await approve(world, id, "approver1")).body.approval).toMatchObject({ required: 2, received: 1 });
    expect((await approve(world, id, "approver2")).body.approval).toMatchObject({ required: 2, received: 2 });
    expect((await world.comesToRest(id)).status).toBe("Completed");
  });
});

describe("an obligation's makers", () => {
  it("can't approve its payment", async () => {
    const { admin } = world.tenant.keys;
    const taxpayer = new Taxpayer(world, treasury);
    // Entered by maker, verified by admin.
    const payee = await taxpayer.payee();
    const { id } = await taxpayer.opens(usd("60000.00"), payee);
    await send(admin, "POST", `/v1/obligations/${id}/fix`);
    const { paymentOrderId } = (await taxpayer.remits(id)).body;
    const order = await world.reaches(String(paymentOrderId), ({ status }) => status === "Pending");
    const refused = await approve(world, order.id, "admin");
    expect([refused.status, refused.body.code]).toEqual([403, "self_approval_not_allowed"]);
    expect((await approve(world, order.id, "approver1")).status).toBe(200);
  });
});

describe("a ledger transaction above the threshold, where the policy requires approvals", () => {
  it("needs two principals as soon as the policy is answered", async () => {
    const { admin, approver1, maker } = world.tenant.keys;
    for (const name of ["Here", "There"]) await world.post("/v1/ledger-accounts", { name });
    const entries = [
      { ledgerAccountName: "Here", direction: "Debit", amountCents: usd("10000.01") },
      { ledgerAccountName: "There", direction: "Credit", amountCents: usd("10000.01") },
    ];
    const create = (more: object = {}) =>
      send<LedgerTransaction>(maker, "POST", "/v1/ledger-transactions", {
        description: "Alone",
        entries,
        ...more,
      });
    expect((await create()).status).toBe(201);
    const policy = (await send<object>(approver1, "GET", "/v1/approval-policy")).body;
    const body = { ...policy, requireApprovalForLedgerTransactions: true };
    expect((await send(approver1, "PUT", "/v1/approval-policy", body)).status).toBe(200);
    const refused = await create();
    expect([refused.status, refused.body.code]).toEqual([422, "approval_required"]);
    const { id } = (await create({ status: "Pending" })).body;
    const post = (key: string) => send<LedgerTransaction>(key, "POST", `/v1/ledger-transactions/${id}/post`);
    expect((await post(maker)).body.code).toBe("insufficient_scope");
    expect((await post(admin)).body.status).toBe("Posted");
  });

  it("needs two principals also as the assignment of money in Suspense, and the audit log says what each did", async () => {
    const { admin, maker } = world.tenant.keys;
    const { id } = await received(world, await sendsTo(world, "55501234", usd("10000.01")));
    const assign = (key: string) =>
      send<InboundPayment>(key, "POST", `/v1/inbound-payments/${id}/assign`, { ledgerAccountName: "Here" });
    const proposed = await assign(maker);
    expect([proposed.status, proposed.body.status]).toEqual([202, "Suspended"]);
    expect(proposed.body.proposedAssignment?.proposedBy).toBe("maker");
    const own = await assign(maker);
    expect([own.status, own.body.code]).toEqual([403, "self_approval_not_allowed"]);
    const assigned = await assign(admin);
    expect([assigned.status, assigned.body.status]).toEqual([200, "Assigned"]);
    const entries = await world.rows<{ action: string; actor: string }>(
      "select action, actor from gateway.audit where object_id = $1 order by at",
      [id],
    );
    expect(entries).toEqual([
      { action: "InboundAssignmentProposed", actor: "maker" },
      { action: "InboundPaymentAssigned", actor: "admin" },
    ]);
  });
});
