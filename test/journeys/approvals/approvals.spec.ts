import { describe, expect, it } from "vitest";
import type { PaymentOrder } from "../../../clients/typescript/types.gen.ts";
import type { PaymentOrderTimeline } from "../../../contracts/http/payments/payment-order-timeline.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { approve, submit } from "../../world/actions.ts";
import { issueAnotherKey } from "../../world/system/operator.ts";
import { statusesOf, allStatuses } from "../../world/story.ts";
import { usd } from "../../world/usd.ts";
import { World } from "../../world/world.ts";

const world = await forThisFile(World.join());
/** Has an overdraft, so that amounts beyond the thresholds need no funds. */
const treasury = await world.payerNamed("Treasury");

/** An order that waits for its approvals. */
async function waiting(amountCents: number, rail: "Rtp" | "Wire" = "Rtp"): Promise<PaymentOrder> {
  const order = await treasury.pays(amountCents, { rail });
  return world.reaches(order.id, ({ status }) => status === "Pending");
}

describe.concurrent("how many must approve", () => {
  it.each([
    { amountCents: usd("10000.00"), required: 0, why: "reaches the threshold and does not exceed it" },
    { amountCents: usd("10000.01"), required: 1, why: "exceeds the threshold" },
    { amountCents: usd("50000.00"), required: 1, why: "reaches the dual threshold and does not exceed it" },
    { amountCents: usd("50000.01"), required: 2, why: "exceeds the dual threshold" },
  ])("$required for $amountCents cents, which $why", async ({ amountCents, required }) => {
    const order = await treasury.pays(amountCents);
    expect(order.approval.required).toBe(required);
    const approvers = ["approver1", "approver2"] as const;
    for (const [index, approver] of approvers.slice(0, required).entries()) {
      const before = await world.reaches(order.id, ({ status }) => status === "Pending");
      expect(before.approval.received).toBe(index);
      expect((await approve(world, order.id, approver)).status).toBe(200);
    }
    expect(statusesOf(await world.comesToRest(order.id))).toEqual(allStatuses);
  });

  it("requires two for every wire, even the smallest", async () => {
    const order = await waiting(usd("0.01"), "Wire");
    expect(order.approval).toMatchObject({ required: 2, received: 0, approvals: [] });
    const once = (await approve(world, order.id, "approver1")).body;
    expect(once).toMatchObject({ status: "Pending", approval: { required: 2, received: 1 } });
    const twice = (await approve(world, order.id, "approver2")).body;
    expect(twice).toMatchObject({ status: "Processing", approval: { required: 2, received: 2 } });
    const completed = await world.comesToRest(order.id);
    expect(completed.approval.approvals.map(({ principal }) => principal)).toEqual([
      "approver1",
      "approver2",
    ]);
    expect(completed.approval.orderHash).toMatch(/^[0-9a-f]{64}$/);
  });
});

/** The answers to two principals who approve the order at the same moment, the earlier approval's first. */
async function approveAtOnce(order: PaymentOrder) {
  const answers = await Promise.all([
    approve(world, order.id, "approver1"),
    approve(world, order.id, "approver2"),
  ]);
  return answers.toSorted(
    (a, b) => a.status - b.status || a.body.approval.received - b.body.approval.received,
  );
}

/** How often the order was handed to its rail, and how many approvals it has, once it is at rest. */
async function handOffsOf({ id }: PaymentOrder) {
  const { approval, status } = await world.comesToRest(id);
  const { body } = await world.get<PaymentOrderTimeline>(`/v1/payment-orders/${id}/timeline`);
  const handOffs = body.data.filter(({ kind }) => kind === "InstructionSubmitted").length;
  return { status, handOffs, approvals: approval.approvals.map(({ principal }) => principal).toSorted() };
}

/** Enough orders that the two approvals of at least one meet. */
const pairs = Array.from({ length: 5 });

describe.concurrent("two approvals at the same moment", () => {
  it("hand an order that needs two to its rail once, and both count", async () => {
    await Promise.all(
      pairs.map(async () => {
        const order = await waiting(usd("5.00"), "Wire");
        expect(await approveAtOnce(order)).toMatchObject([
          { status: 200, body: { status: "Pending", approval: { required: 2, received: 1 } } },
          { status: 200, body: { status: "Processing", approval: { required: 2, received: 2 } } },
        ]);
        expect(await handOffsOf(order)).toEqual({
          status: "Completed",
          handOffs: 1,
          approvals: ["approver1", "approver2"],
        });
      }),
    );
  });

  it("hand an order that needs one to its rail once, and refuse the later approval", async () => {
    await Promise.all(
      pairs.map(async () => {
        const order = await waiting(usd("10000.01"));
        expect(await approveAtOnce(order)).toMatchObject([
          { status: 200, body: { status: "Processing", approval: { required: 1, received: 1 } } },
          { status: 409, body: { code: "invalid_state_transition" } },
        ]);
        const { approvals, ...rest } = await handOffsOf(order);
        expect(rest).toEqual({ status: "Completed", handOffs: 1 });
        expect(approvals).toHaveLength(1);
      }),
    );
  });
});

describe.concurrent("what may be approved", () => {
  it("is the order that was shown, and no other", async () => {
    const order = await waiting(usd("5.00"), "Wire");
    const other = await waiting(usd("6.00"), "Wire");
    const shown = order.approval.orderHash ?? "";
    const refused = await approve(world, other.id, "approver1", shown);
    expect(refused).toMatchObject({ status: 409, body: { code: "order_changed", received: 0 } });
    const approved = await approve(world, order.id, "approver1", shown);
    expect(approved).toMatchObject({ status: 200, body: { approval: { received: 1 } } });
  });
});

describe.concurrent("who may approve", () => {
  it("refuses the order's creator, whatever scopes the key has", async () => {
    const body = treasury.body(usd("5.00"), "Wire");
    const made = await world.post<PaymentOrder>("/v1/payment-orders", body, { as: "admin" });
    await world.reaches(made.body.id, ({ status }) => status === "Pending");
    const refused = await approve(world, made.body.id, "admin");
    expect(refused).toMatchObject({ status: 403, body: { code: "self_approval_not_allowed" } });
    expect((await world.order(made.body.id)).approval.received).toBe(0);
  });

  it("refuses whoever submitted another's Draft: both are makers", async () => {
    const draft = await treasury.pays(usd("5.00"), { rail: "Wire", submit: false });
    await submit(world, draft.id, "admin");
    await world.reaches(draft.id, ({ status }) => status === "Pending");
    const refused = await approve(world, draft.id, "admin");
    expect(refused).toMatchObject({ status: 403, body: { code: "self_approval_not_allowed" } });
  });

  it("refuses the same principal twice, even with another of their keys", async () => {
    const order = await waiting(usd("5.00"), "Wire");
    expect((await approve(world, order.id, "approver1")).status).toBe(200);
    const again = await approve(world, order.id, "approver1");
    expect(again).toMatchObject({ status: 409, body: { code: "duplicate_approval" } });

    const key = await issueAnotherKey(world, {
      principal: "approver1",
      mode: "Test",
      scopes: ["orders:approve"],
    });
    const byOtherKey = await world.send(key, "POST", `/v1/payment-orders/${order.id}/approve`);
    expect(byOtherKey.status).toBe(409);
    expect(byOtherKey.body).toMatchObject({ code: "duplicate_approval", required: 2, received: 1 });
  });

  it("counts a principal once if they approve several times at once", async () => {
    const order = await waiting(usd("5.00"), "Wire");
    const answers = await Promise.all(Array.from({ length: 4 }, () => approve(world, order.id, "approver1")));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
    expect(await world.order(order.id)).toMatchObject({ status: "Pending", approval: { received: 1 } });
  });

  it("refuses a key without the scope", async () => {
    const order = await waiting(usd("5.00"), "Wire");
    const refused = await approve(world, order.id, "maker");
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ code: "insufficient_scope", requiredScope: "orders:approve" });
  });
});

describe.concurrent("when there is nothing to approve", () => {
  it("refuses an approval if the order waits for none", async () => {
    const order = await world.comesToRest((await treasury.pays(usd("5.00"))).id);
    const refused = await approve(world, order.id, "approver1");
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: "invalid_state_transition", currentStatus: "Completed" });
  });

  it("refuses the approval of a Draft: its fields can still change", async () => {
    const draft = await treasury.pays(usd("5.00"), { rail: "Wire", submit: false });
    const refused = await approve(world, draft.id, "approver1");
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: "invalid_state_transition", currentStatus: "Draft" });
  });

  it("never takes one principal's approval for another's, even under one Idempotency-Key", async () => {
    const order = await waiting(usd("5.00"), "Wire");
    const approveUnder = (as: "approver1" | "approver2") =>
      world.post(`/v1/payment-orders/${order.id}/approve`, undefined, {
        as,
        headers: { "Idempotency-Key": `approve-${order.id}` },
      });
    expect((await approveUnder("approver1")).status).toBe(200);
    const reused = { status: 409, body: { code: "idempotency_key_reused" } };
    expect(await approveUnder("approver2")).toMatchObject(reused);
    expect((await approve(world, order.id, "approver2")).status).toBe(200);
  });

  it("refuses a second submission", async () => {
    const order = await waiting(usd("5.00"), "Wire");
    const refused = await submit(world, order.id);
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: "invalid_state_transition", allowedStatuses: ["Draft"] });
  });
});
