import { describe, expect, it } from "vitest";
import {
  ApproveOrder,
  GetOrder,
  ListOrders,
  OrderApprovalRecorded,
} from "../../../contracts/messages/orders.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";

const orders = new OrdersOnTest();

async function approvalSeenBy(principal: string, id: string, mayApprove?: boolean) {
  const caller = orders.caller(principal);
  return (await orders.request(GetOrder, { id, mayApprove }, { caller })).value.approval;
}

describe("an order that waits for approval", () => {
  it("tells each reader what their approval would come to, and until when it waits", async () => {
    const id = await orders.waitingWire();
    expect(await approvalSeenBy("maker", id, true)).toMatchObject({
      required: 2,
      makers: ["maker"],
      reasons: [{ rule: "dualApprovalRails", approvals: 2, thresholdCents: null }],
      mine: { allowed: false, code: "self_approval_not_allowed" },
    });
    expect((await approvalSeenBy("ann", id, true)).mine).toEqual({ allowed: true, code: null });
    expect((await approvalSeenBy("ann", id, false)).mine).toEqual({
      allowed: false,
      code: "insufficient_scope",
    });
    const { statusHistory } = await orders.read(id);
    const pendingAt = Date.parse(statusHistory.find(({ to }) => to === "Pending")?.at ?? "");
    const { expiresAt } = await approvalSeenBy("ann", id, true);
    const waitsForMs = Date.parse(expiresAt ?? "") - pendingAt;
    expect(Math.abs(waitsForMs - 72 * 3_600_000)).toBeLessThan(60_000);
    await orders.approve(id, "ann");
    expect((await approvalSeenBy("ann", id, true)).mine).toEqual({
      allowed: false,
      code: "duplicate_approval",
    });
  });

  it("reports an approval that leaves its status as it is, and no other", async () => {
    const id = await orders.waitingWire();
    await orders.approve(id, "ann");
    const afterTheFirst = await orders.published(id, OrderApprovalRecorded);
    expect(afterTheFirst).toMatchObject([{ subject: id, data: { orderId: id, required: 2, received: 1 } }]);
    await orders.approve(id, "ben");
    expect((await orders.read(id)).status).toBe("Processing");
    expect(await orders.published(id, OrderApprovalRecorded)).toEqual(afterTheFirst);
  });

  it("shows nobody's view to a reader who does not ask, in a list, or in the answer to a write", async () => {
    const id = await orders.waitingWire();
    const nobodys = { expiresAt: null, mine: null };
    expect(await approvalSeenBy("ann", id)).toMatchObject(nobodys);
    const { data } = (await orders.request(ListOrders, { status: ["Pending"] })).value;
    expect(data.find((each) => each.id === id)?.approval).toMatchObject(nobodys);
    const approved = { caller: orders.caller("ann"), key: "approved once" };
    expect((await orders.request(ApproveOrder, { id }, approved)).value.approval).toMatchObject(nobodys);
    const again = await orders.request(ApproveOrder, { id }, approved);
    expect(again).toMatchObject({ replayed: true, value: { approval: { received: 1, ...nobodys } } });
  });
});
