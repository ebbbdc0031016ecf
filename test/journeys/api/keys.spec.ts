import { describe, expect, it } from "vitest";
import type { ApiKeyCreated, ApiKeyProposal } from "../../../contracts/http/api-keys.ts";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import { scopes } from "../../../contracts/http/scopes.ts";
import { idOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { issueAnotherKey, operatorRuns, seedOtherTenant, tablesOf } from "../../world/system/operator.ts";
import { until } from "../../stack/until.ts";
import { usd } from "../../world/usd.ts";
import { OwnWorld } from "../../world/system/own-world.ts";

const world = await forThisFile(OwnWorld.start({ isPatient: true, instances: 2 }));
const treasury = await world.payerNamed("Treasury");
/** The second of two principals with every scope. */
const partner = await issueAnotherKey(world, { principal: "partner", mode: "Test", scopes });

const gateways = [0, 1];
const send = world.send.bind(world);

/** The answer to a key at each gateway: 200, or the refusal's code. */
const opensAt = (key: string) =>
  Promise.all(
    gateways.map(async (at) => {
      const { status, body } = await send(key, "GET", "/v1/payment-orders?limit=1", { at });
      return status === 200 ? 200 : body.code;
    }),
  );
const nowhere = ["api_key_invalid", "api_key_invalid"];

async function made(by: string, body: object): Promise<ApiKeyCreated> {
  const answer = await send<ApiKeyCreated>(by, "POST", "/v1/api-keys", { body: { name: "spare", ...body } });
  expect(answer.status).toBe(answer.body.status === "Pending" ? 202 : 201);
  return answer.body;
}

async function operator(...args: string[]): Promise<string> {
  return (await operatorRuns(world, "tenants", args)).stdout.trim();
}

describe("one principal with every scope", () => {
  it("can't act as two, and can't pay alone an order that needs another's approval", async () => {
    const { admin } = world.tenant.keys;
    const wire = await send<PaymentOrder>(admin, "POST", "/v1/payment-orders", {
      body: treasury.body(usd("1.00"), "Wire"),
    });
    await world.reaches(wire.body.id, ({ status }) => status === "Pending");
    const secondSelf = await send(admin, "POST", "/v1/api-keys", {
      body: { name: "another me", principal: "somebody new", scopes: ["orders:approve"] },
    });
    expect(secondSelf.body.code).toBe("invalid_field");
    const borrowed = await made(admin, { principal: "approver1", scopes: ["orders:read", "orders:approve"] });
    const own = await made(admin, { scopes: ["orders:read", "orders:approve", "keys:write"] });
    const decided = await send(
      admin,
      "POST",
      `/v1/api-keys/proposals/${String(borrowed.proposalId)}/approve`,
    );
    expect([decided.status, decided.body.code]).toEqual([403, "self_approval_not_allowed"]);
    for (const { key, status } of [borrowed, own]) {
      expect(status).toBe("Pending");
      const approval = await send(key, "POST", `/v1/payment-orders/${wire.body.id}/approve`);
      expect(approval.body.code).toBe("api_key_invalid");
    }
    expect((await world.order(wire.body.id)).approval.received).toBe(0);
  });

  it("can create an approver's key together with another principal, and that key approves", async () => {
    const { admin } = world.tenant.keys;
    const given = await made(admin, { principal: "approver2", scopes: ["orders:read", "orders:approve"] });
    expect(await opensAt(given.key)).toEqual(nowhere);
    const approved = await send<ApiKeyProposal>(
      partner,
      "POST",
      `/v1/api-keys/proposals/${String(given.proposalId)}/approve`,
      { at: 1 },
    );
    expect(approved.body).toMatchObject({ status: "Approved", proposedBy: "admin", decidedBy: "partner" });
    await until("the key opens both gateways", async () =>
      (await opensAt(given.key)).every((opened) => opened === 200) ? true : undefined,
    );
    const order = await treasury.pays(usd("10000.01"));
    await world.reaches(order.id, ({ status }) => status === "Pending");
    const approval = await send<PaymentOrder>(given.key, "POST", `/v1/payment-orders/${order.id}/approve`);
    expect(approval.body.approval).toMatchObject({ received: 1, approvals: [{ principal: "approver2" }] });
    expect((await world.comesToRest(order.id)).status).toBe("Completed");
  });
});

/** A pause of the whole machine may exceed the bound; a cache that is waited for exceeds it each time. */
const onABusyMachine = { retry: 2 };

describe("a key that leaked", onABusyMachine, () => {
  it("is revoked at one gateway, and refused by the other before its cache expires", async () => {
    const { id, key } = await made(world.tenant.keys.admin, { scopes: ["orders:read"] });
    expect(await opensAt(key)).toEqual([200, 200]);
    const revoked = await send(world.tenant.keys.maker, "POST", `/v1/api-keys/${id}/revoke`);
    expect(revoked.status).toBe(200);
    await until("both gateways refuse it", async () => closed(await opensAt(key)), 900);
  });

  it("is revoked from the command line, too", async () => {
    const { id, key } = await made(world.tenant.keys.admin, { scopes: ["orders:read"] });
    expect(await opensAt(key)).toEqual([200, 200]);
    expect(await operator("revoke-key", id, "--by", "ada")).toBe("revoked");
    await until("both gateways refuse it", async () => closed(await opensAt(key)));
  });

  it("that has leaked is revoked from the command line with the keys that it made", async () => {
    const scopes = ["orders:read", "keys:write"] as const;
    const leaked = await issueAnotherKey(world, { principal: "careless", mode: "Test", scopes });
    const [row] = await world.rows<{ id: string }>(
      "select id from gateway.api_key where principal = 'careless'",
    );
    const id = idOf("key", row?.id ?? "");
    const child = await made(leaked, { scopes: ["orders:read"] });
    expect([await opensAt(leaked), await opensAt(child.key)]).toEqual([
      [200, 200],
      [200, 200],
    ]);
    expect(await operator("revoke-key", id, "--by", "ada")).toBe("revoked");
    await until("both gateways refuse it", async () => closed(await opensAt(leaked)));
    expect(await opensAt(child.key)).toEqual([200, 200]);
    const all = ["revoke-key", id, "--include-descendants", "--by", "ada"];
    expect(await operator(...all)).toBe(`was revoked before\n  ${child.id} ended with it`);
    await until("both gateways refuse what it made", async () => closed(await opensAt(child.key)));
    const recorded = "select action, object_id from gateway.audit where details ->> 'revokedWith' = $1";
    expect(await world.rows(recorded, [id])).toEqual([{ action: "ApiKeyRevoked", object_id: child.id }]);
    expect(await operator(...all)).toBe("was revoked before\nno other key ended with it");
  });

  it("is rotated, and a request repeated with the new key does not pay again", async () => {
    const { admin } = world.tenant.keys;
    const old = await made(admin, { scopes: ["orders:read", "orders:write"] });
    const payment = {
      headers: { "idempotency-key": "invoice 4711" },
      body: treasury.body(usd("5.00")),
    };
    const paid = await send<PaymentOrder>(old.key, "POST", "/v1/payment-orders", payment);
    const rotated = await send<ApiKeyCreated>(admin, "POST", `/v1/api-keys/${old.id}/rotate`, {
      body: { overlapHours: 0 },
      at: 1,
    });
    await until("the old key is closed", async () => closed(await opensAt(old.key)), 900);
    const again = await send<PaymentOrder>(rotated.body.key, "POST", "/v1/payment-orders", {
      ...payment,
      at: 1,
    });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body.id).toBe(paid.body.id);
  });

  it("is in no table and in no log of ours", async () => {
    const { id, key } = await made(world.tenant.keys.admin, { scopes: ["orders:read"] });
    const pending = await made(world.tenant.keys.admin, { scopes: ["orders:approve"] });
    await opensAt(key);
    await send(world.tenant.keys.maker, "POST", `/v1/api-keys/${id}/revoke`);
    for (const secret of [key, pending.key].map((text) => text.slice(8, 40))) {
      expect(world.lines.filter((line) => line.includes(secret))).toEqual([]);
      for (const table of await tablesOf(world)) {
        const [found] = await world.rows<{ rows: number }>(
          `select count(*)::int as rows from ${table} t where t::text like $1`,
          [`%${secret}%`],
        );
        expect([table, found?.rows]).toEqual([table, 0]);
      }
    }
  });
});

describe("a tenant that the operator suspends", onABusyMachine, () => {
  it("is refused at every gateway until it is reactivated, and other tenants are not", async () => {
    const { tenant, keys } = await seedOtherTenant(world, "Overdue");
    expect(await opensAt(keys.maker)).toEqual([200, 200]);
    expect(await operator("suspend", tenant.id, "--by", "ada")).toBe("suspended");
    await until("both gateways refuse it", async () =>
      (await opensAt(keys.maker)).every((code) => code === "tenant_inactive") ? true : undefined,
    );
    expect(await opensAt(world.tenant.keys.maker)).toEqual([200, 200]);
    expect(await operator("reactivate", "Overdue", "--by", "ada")).toBe("active again");
    await until("both gateways let it in", async () =>
      (await opensAt(keys.maker)).every((opened) => opened === 200) ? true : undefined,
    );
  });
});

function closed(opened: readonly unknown[]): true | undefined {
  return opened.every((code) => code === "api_key_invalid") ? true : undefined;
}
