import { describe, expect, it } from "vitest";
import type { ApprovalPolicy } from "../../../contracts/http/payments/approval-policies.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import { DecidePolicyProposal, PutApprovalPolicy } from "../../../contracts/messages/orders.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { until } from "../../../test/stack/until.ts";
import { Database } from "../../platform/persistence/database.ts";
import { raisedRequirements, withApprovals } from "../order/approvals.ts";
import type { PaymentOrder } from "../order/payment-order.ts";
import { listAwaitingHandOff } from "../store/orders-that-wait.ts";
import { defaultApprovalPolicy } from "../order/approval-policy.ts";

const orders = new OrdersOnTest(2);

const defaults: ApprovalPolicy = { ...defaultApprovalPolicy, dualApprovalRails: ["Wire"] };

describe("an order that waits when the policy changes", () => {
  const put = (change: Partial<ApprovalPolicy>) =>
    orders.request(PutApprovalPolicy, { ...defaults, ...change }, { caller: orders.caller("ann") });
  const decide = (id: string) =>
    orders.request(DecidePolicyProposal, { id, decision: "Approve" }, { caller: orders.caller("ben") });

  it("is raised soon, never lowered, and waits for the approvals that it then needs", async () => {
    const { id } = await orders.create({ rail: "Rtp", amountCents: 1_000_001 });
    const untouched = await orders.create({ rail: "Rtp", amountCents: 1_000_001 });
    await orders.holdPlaced(id);
    await orders.untilPhase(id, "AwaitingApproval");
    expect((await orders.read(id)).approval).toMatchObject({ required: 1, received: 0 });

    await put({ dualApprovalThresholdCents: 1_000_000 });
    await until(async () => (await orders.read(id)).approval.required === 2);
    const { value } = await put({});
    await decide("proposalId" in value ? value.proposalId : "");

    // Its hold was not placed while the stricter policy was in force, so the gate had not evaluated it.
    expect((await orders.read(untouched.id)).approval.required).toBe(2);
    expect((await orders.approve(id, "ann")).value).toMatchObject({
      status: "Pending",
      approval: { required: 2, received: 1 },
    });
    expect((await orders.approve(id, "ben")).value.status).toBe("Processing");
    const since = await orders.create({ rail: "Rtp", amountCents: 1_000_001 });
    expect(since.approval.required).toBe(1);
  });

  it("is raised by a looser policy exactly as the gate would have raised it under the stricter one", async () => {
    const dual = ["SameDayAch" as const];
    const strict = {
      requireApprovalForAll: true,
      dualApprovalThresholdCents: 2_000,
      dualApprovalRails: dual,
    };
    const caller = orders.caller("ann", newId("ten"));
    const amounts = [1, 2_000, 2_001, 5_000_001];
    const drafts = (["Rtp", "Wire", "SameDayAch"] as const).flatMap((rail) =>
      amounts.map((amountCents) => ({ rail, amountCents })),
    );
    const replace = async (policy: object) => {
      const { value } = await orders.request(PutApprovalPolicy, { ...defaults, ...policy }, { caller });
      if (!("proposalId" in value)) return;
      const ben = { caller: { ...caller, principal: "ben" } };
      await orders.request(DecidePolicyProposal, { id: value.proposalId, decision: "Approve" }, ben);
    };
    const stored = () => listAwaitingHandOff(orders.get(Database).sql, caller.book, 100);
    await replace({ allowSelfApproval: true });
    // Their holds are not placed, so the gate does not evaluate them.
    for (const draft of drafts) await orders.create(draft, { caller });
    const before = await stored();
    await replace(strict);
    expect(await stored()).toEqual(before);
    await replace({});
    const withoutTime = ({ id, progress: { approvals } }: PaymentOrder) => ({
      id,
      ...approvals,
      raisedAt: approvals.raisedAt !== null,
    });
    const policy = { ...defaults, ...strict };
    expect(before).toHaveLength(drafts.length);
    expect((await stored()).map(withoutTime)).toEqual(
      before.map((order) => withoutTime(withApprovals(order, raisedRequirements(order, policy, new Date())))),
    );
  });

  it("goes back from waiting for its day to waiting for approval, its approvals kept", async () => {
    const tomorrow = new Date(Date.now() + 48 * 3_600_000).toISOString().slice(0, 10);
    const id = await orders.createdTo("AwaitingApproval", {
      rail: "Rtp",
      amountCents: 1_000_001,
      effectiveDate: tomorrow,
    });
    await orders.approve(id, "ann");
    await orders.untilPhase(id, "AwaitingWindow");
    await put({ dualApprovalThresholdCents: 1_000_000 });
    await orders.untilPhase(id, "AwaitingApproval");
    expect((await orders.read(id)).approval).toMatchObject({
      required: 2,
      received: 1,
      approvals: [{ principal: "ann" }],
    });
    await orders.approve(id, "ben");
    await orders.untilPhase(id, "AwaitingWindow");
  });
});
