import { describe, expect, it } from "vitest";
import type { ApprovalPolicy, PolicyProposal } from "../../../contracts/http/payments/approval-policies.ts";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import type { Problem } from "../../../contracts/http/problem.ts";
import type { Answer } from "../../../scripts/local/demo/api.ts";
import type { PartName } from "../../../scripts/local/demo/seed.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { farFromMidnight } from "../../stack/new-york-day.ts";
import { approve } from "../../world/actions.ts";
import { statusesOf, allStatuses } from "../../world/story.ts";
import { usd } from "../../world/usd.ts";
import { World } from "../../world/world.ts";

const defaults: ApprovalPolicy = {
  requireApprovalForAll: false,
  approvalThresholdCents: usd("10000.00"),
  dualApprovalThresholdCents: usd("50000.00"),
  dualApprovalRails: ["Wire"],
  allowSelfApproval: false,
  requireVerifiedCounterparty: false,
  requireApprovalForLedgerTransactions: false,
  dailyLimitCents: null,
  approvalExpiresAfterHours: 72,
};

await farFromMidnight();
const world = await forThisFile(World.join());
const treasury = await world.payerNamed("Treasury");

const path = "/v1/approval-policy";
const policyNow = async () => (await world.get<ApprovalPolicy>(path)).body;
type Refused = Pick<Problem, "code" | "detail" | "errors">;
type Put = ApprovalPolicy & { proposalId: string } & Refused;
function put(change: Partial<ApprovalPolicy>, as: PartName, idempotencyKey?: string): Promise<Answer<Put>> {
  const headers: Record<string, string> =
    idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
  return world.send(world.tenant.keys[as], "PUT", path, { body: { ...defaults, ...change }, headers });
}
const decide = (id: string, action: "approve" | "deny", as: PartName) =>
  world.post<PolicyProposal & Refused>(`${path}/proposals/${id}/${action}`, undefined, { as });
/** Puts a policy: one principal proposes it, and the other approves it if it loosens the policy. */
async function agreeOn(change: Partial<ApprovalPolicy>): Promise<void> {
  const { body } = await put(change, "approver1");
  if ("proposalId" in body) await decide(body.proposalId, "approve", "approver2");
  expect(await policyNow()).toEqual({ ...defaults, ...change });
}
const pay = (amountCents: number, change: object = {}, as: PartName = "maker") =>
  world.post<PaymentOrder & Refused>("/v1/payment-orders", treasury.body(amountCents, "Rtp", change), { as });
const pending = (id: string) => world.reaches(id, ({ status }) => status === "Pending");

// All tests share one book and its policy, so each starts from the state that the previous one left.
describe("a book's approval policy", () => {
  it("is the default at first, in exactly the form that PUT accepts", async () => {
    expect(await policyNow()).toEqual(defaults);
    const same = await put({}, "approver1");
    expect([same.status, same.body]).toEqual([200, defaults]);
  });

  it("applies at once if it is tighter: the smallest order now waits for another principal", async () => {
    expect((await put({ requireApprovalForAll: true }, "approver1")).status).toBe(200);
    const { body: order } = await pay(usd("1.00"), {}, "admin");
    expect(order.approval.required).toBe(1);
    await pending(order.id);

    const own = await approve(world, order.id, "admin");
    expect(own.status).toBe(403);
    expect(own.body).toMatchObject({
      code: "self_approval_not_allowed",
      detail: "admin made this order, so another principal must approve it.",
    });
    expect((await approve(world, order.id, "approver1")).status).toBe(200);
    expect(statusesOf(await world.comesToRest(order.id))).toEqual(allStatuses);
  });

  it("is only proposed if it is looser, and its proposer can't approve it", async () => {
    const proposed = await put({}, "approver1", "back to the default");
    expect(proposed.status).toBe(202);
    const { proposalId } = proposed.body;
    expect(proposed.body).toEqual({ proposalId });
    const again = await put({}, "approver1", "back to the default");
    expect([again.status, again.body]).toEqual([202, { proposalId }]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect((await policyNow()).requireApprovalForAll).toBe(true);
    const { body: list } = await world.get<{ data: PolicyProposal[] }>(`${path}/proposals?status=Open`);
    expect(list.data).toMatchObject([
      { id: proposalId, loosens: ["requireApprovalForAll"], proposedBy: "approver1", decidedBy: null },
    ]);

    const own = await decide(proposalId, "approve", "approver1");
    expect(own.status).toBe(403);
    expect(own.body).toMatchObject({
      code: "self_approval_not_allowed",
      detail: "approver1 proposed this policy, so another principal must decide on it.",
    });
    expect((await policyNow()).requireApprovalForAll).toBe(true);

    const other = await decide(proposalId, "approve", "approver2");
    expect(other).toMatchObject({ status: 200, body: { status: "Approved", decidedBy: "approver2" } });
    expect(await policyNow()).toEqual(defaults);
    const twice = await decide(proposalId, "deny", "approver2");
    expect(twice.status).toBe(409);
    expect(twice.body).toMatchObject({ code: "invalid_state_transition", currentStatus: "Approved" });

    const { body: order } = await pay(usd("1.00"));
    expect(statusesOf(await world.comesToRest(order.id))).toEqual(allStatuses);
  });

  it("sends an approved order that waits for its day back to its approvers when it is raised", async () => {
    const dayAfterTomorrow = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    const { body: order } = await pay(usd("10000.01"), { effectiveDate: dayAfterTomorrow });
    await pending(order.id);
    expect((await approve(world, order.id, "approver1")).body.approval).toMatchObject({
      required: 1,
      received: 1,
    });
    const late = await approve(world, order.id, "approver2");
    expect(late.body.code).toBe("invalid_state_transition");

    await agreeOn({ dualApprovalThresholdCents: usd("10000.00") });
    const raised = await world.reaches(order.id, ({ approval }) => approval.required === 2);
    expect(raised).toMatchObject({
      status: "Pending",
      approval: { required: 2, received: 1, approvals: [{ principal: "approver1" }] },
    });
    await agreeOn({});
    expect((await world.order(order.id)).approval.required).toBe(2);
    expect((await approve(world, order.id, "approver2")).body.approval.received).toBe(2);
  });

  it("refuses what exceeds its daily limit, and gets back the amounts of failed orders", async () => {
    // What earlier tests have submitted today counts too.
    const usedCents = usd("10002.01");
    const dailyLimitCents = usedCents + 1_000;
    await agreeOn({ dailyLimitCents, approvalThresholdCents: 999 });
    const refused = await pay(1_001);
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({
      code: "velocity_limit_exceeded",
      limitCents: dailyLimitCents,
      usedCents,
      errors: [{ pointer: "/amountCents" }],
    });

    const { body: failing } = await pay(1_000, { counterpartyAccountNumber: "300404" });
    // It waits for its approver, so it still counts.
    expect((await pay(1)).body.code).toBe("velocity_limit_exceeded");
    await agreeOn({ dailyLimitCents });
    await pending(failing.id);
    await approve(world, failing.id, "approver1");
    await world.reaches(failing.id, ({ status }) => status === "Failed");
    const { body: order } = await pay(1_000);
    expect(statusesOf(await world.comesToRest(order.id))).toEqual(allStatuses);
    await agreeOn({});
  });

  it("refuses inline details by name if it accepts verified counterparties only", async () => {
    await agreeOn({ requireVerifiedCounterparty: true });
    expect(await pay(100)).toMatchObject({
      status: 422,
      body: { code: "counterparty_unverified", errors: [{ pointer: "/counterpartyId" }] },
    });
    await agreeOn({});
  });

  it("is separate for each book: the Live one still has the default", async () => {
    await agreeOn({ approvalThresholdCents: 1 });
    expect((await world.get<ApprovalPolicy>(path, "live")).body).toEqual(defaults);
    const { body: list } = await world.get<{ data: unknown[] }>(`${path}/proposals`, "live");
    expect(list.data).toEqual([]);
  });
});
