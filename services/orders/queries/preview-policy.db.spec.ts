import { describe, expect, it } from "vitest";
import { newId, uuidOf } from "../../../contracts/ids/ids.ts";
import {
  GetApprovalPolicy,
  GetOrder,
  ListPolicyProposals,
  PreviewApprovalPolicy,
  PutApprovalPolicy,
} from "../../../contracts/messages/orders.ts";
import { defaultApprovalPolicy } from "../order/approval-policy.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";

const orders = new OrdersOnTest();
/** A month from now: orders with it wait for their window. */
const effectiveDate = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
const policy = { ...defaultApprovalPolicy, dualApprovalRails: [...defaultApprovalPolicy.dualApprovalRails] };

function aBook() {
  const caller = orders.caller("ann", newId("ten"));
  const preview = async (change: Partial<typeof policy>) =>
    (await orders.request(PreviewApprovalPolicy, { ...policy, ...change }, { caller })).value;
  return { caller, preview };
}

describe("the preview of a policy", () => {
  it("names the waiting orders that would lack approvals, and writes nothing", async () => {
    const { caller, preview } = aBook();
    const change = { approvalThresholdCents: 1_000, dualApprovalRails: [] };
    const touched = await orders.createdTo(
      "AwaitingWindow",
      { amountCents: 1_250, effectiveDate },
      { caller },
    );
    await orders.createdTo("AwaitingWindow", { amountCents: 1_000, effectiveDate }, { caller });
    const wire = await orders.waitingWire({ caller });
    await orders.waitingWire({ caller: aBook().caller });
    expect(await preview(change)).toMatchObject({
      outcome: "Proposed",
      policy: { approvalThresholdCents: 1_000, dualApprovalRails: [] },
      changes: [{ field: "approvalThresholdCents" }, { field: "dualApprovalRails" }],
      needMore: {
        count: 1,
        data: [{ id: touched, required: { before: 0, after: 1 }, missing: { before: 0, after: 1 } }],
      },
      expireAtOnce: { count: 0, data: [] },
      examined: 3,
      isComplete: true,
    });
    expect((await orders.request(GetApprovalPolicy, {}, { caller })).value).toEqual(policy);
    expect((await orders.request(ListPolicyProposals, {}, { caller })).value.data).toEqual([]);
    expect((await orders.request(GetOrder, { id: touched }, { caller })).value.approval.required).toBe(0);
    expect((await orders.request(GetOrder, { id: wire }, { caller })).value.approval.required).toBe(2);
  });

  it("foretells what a PUT then does", async () => {
    const { caller, preview } = aBook();
    const id = await orders.createdTo("AwaitingWindow", { effectiveDate }, { caller });
    const { outcome, needMore } = await preview({ requireApprovalForAll: true });
    expect({ outcome, touched: needMore.data.map((each) => each.id) }).toEqual({
      outcome: "InForce",
      touched: [id],
    });
    await orders.request(PutApprovalPolicy, { ...policy, requireApprovalForAll: true }, { caller });
    await orders.untilPhase(id, "AwaitingApproval");
    expect((await preview({ requireApprovalForAll: true })).outcome).toBe("Unchanged");
  });

  it("names the orders that would be cancelled at once", async () => {
    const { caller, preview } = aBook();
    const id = await orders.waitingWire({ caller });
    await orders.sql(
      `update payment_order
       set progress = jsonb_set(progress, '{timers,pendingSince}', '"2020-01-01T00:00:00.000Z"'),
           due_at = now() + interval '1 day'
       where id = $1`,
      [uuidOf(id)],
    );
    const { expireAtOnce } = await preview({ approvalExpiresAfterHours: 1 });
    expect(expireAtOnce).toMatchObject({ count: 1, data: [{ id, expiresAt: "2020-01-01T01:00:00.000Z" }] });
  });
});
