import { describe, expect, it } from "vitest";
import { newId } from "../../../contracts/ids/ids.ts";
import { ApproveOrder, CancelOrder, DenyOrder } from "../../../contracts/messages/orders.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { expectRefusal, refusalOf } from "../../../test/stack/refusals.ts";

const orders = new OrdersOnTest();

describe("approval", () => {
  it("of a wire needs two principals other than its maker, and then hands it off", async () => {
    const id = await orders.waitingWire();
    expect((await orders.read(id)).approval).toMatchObject({ required: 2, received: 0 });
    expect((await orders.approve(id, "ann")).value).toMatchObject({
      status: "Pending",
      approval: { received: 1 },
    });
    const { value } = await orders.approve(id, "ben");
    expect(value).toMatchObject({
      status: "Processing",
      approval: { required: 2, received: 2, approvals: [{ principal: "ann" }, { principal: "ben" }] },
    });
    expect((await orders.commands(id)).map(({ type }) => type)).toEqual([
      "ledger.place-hold.v1",
      "rails.submit-instruction.v1",
    ]);
  });

  it("can be given before the hold is placed, and counts when the gate is reached", async () => {
    const { id } = await orders.create({ amountCents: 1_000_001 });
    expect((await orders.approve(id, "ann")).value.status).toBe("Submitted");
    await orders.holdPlaced(id);
    await orders.untilPhase(id, "HandingOff");
  });

  it("is refused from the maker, from the same principal twice, and once enough are given", async () => {
    const id = await orders.waitingWire();
    await expectRefusal(orders.approve(id, "maker"), "self_approval_not_allowed");
    await orders.approve(id, "ann");
    await expectRefusal(orders.approve(id, "ann"), "duplicate_approval", {
      context: { required: 2, received: 1 },
    });
    await orders.approve(id, "ben");
    await expectRefusal(orders.approve(id, "cat"), "invalid_state_transition", {
      context: { currentStatus: "Processing" },
    });
  });

  it("counts once when the same key is used ten times at once", async () => {
    const id = await orders.waitingWire();
    const requested = Array.from({ length: 10 }, () =>
      orders.request(ApproveOrder, { id }, { caller: orders.caller("ann"), key: `approve ${id}` }),
    );
    const answers = await Promise.all(requested);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect((await orders.read(id)).approval.received).toBe(1);
  });
});

describe("cancel", () => {
  it("releases the hold and records why", async () => {
    const id = await orders.waitingWire();
    const { value } = await orders.request(CancelOrder, { id, reason: "Ordered twice" });
    expect(value).toMatchObject({ status: "Pending", cancellable: false });
    await orders.holdReleased(id);
    await orders.untilPhase(id, "Cancelled");
    expect(await orders.read(id)).toMatchObject({ status: "Cancelled", cancelReason: "Ordered twice" });
    expect((await orders.published(id)).at(-1)).toMatchObject({
      data: { status: "Cancelled", cancelReason: "Ordered twice" },
    });
  });

  it("is refused once the order is at its rail, and once it is final", async () => {
    const id = await orders.createdTo("HandingOff");
    await expectRefusal(orders.cancel(id), "order_not_cancellable", {
      context: { currentStatus: "Processing", allowedStatuses: ["Draft", "Submitted", "Pending"] },
    });
    const draft = await orders.create({ submit: false });
    expect((await orders.cancel(draft.id)).value.status).toBe("Cancelled");
    await expectRefusal(orders.cancel(draft.id), "order_not_cancellable");
  });

  it("races with the hand-off: one wins, the other is refused, and the rail gets what the winner decided", async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => orders.waitingWire()));
    await Promise.all(ids.map((id) => orders.approve(id, "ann")));
    for (const id of ids) {
      const [cancelled, approved] = await Promise.allSettled([orders.cancel(id), orders.approve(id, "ben")]);
      expect([cancelled.status, approved.status].sort()).toEqual(["fulfilled", "rejected"]);
      const commands = (await orders.commands(id)).map(({ type }) => type);
      expect(commands).toEqual([
        "ledger.place-hold.v1",
        cancelled.status === "fulfilled" ? "ledger.release-hold.v1" : "rails.submit-instruction.v1",
      ]);
    }
  });
});

describe("deny", () => {
  const deny = (id: string, principal = "ann", key?: string) =>
    orders.request(
      DenyOrder,
      { id, reason: "Not our supplier" },
      { caller: orders.caller(principal), ...(key === undefined ? {} : { key }) },
    );

  it("releases the hold, cancels the order, and names who denied it and why", async () => {
    const id = await orders.waitingWire();
    expect((await deny(id)).value).toMatchObject({ status: "Pending", cancellable: false });
    expect((await orders.published(id)).at(-1)).toMatchObject({ type: "ledger.release-hold.v1" });
    await orders.holdReleased(id);
    await orders.untilPhase(id, "Cancelled");
    const denied = await orders.read(id);
    expect(denied).toMatchObject({ status: "Cancelled", cancelReason: "Not our supplier" });
    expect(denied.statusHistory.at(-1)).toMatchObject({
      from: "Pending",
      to: "Cancelled",
      actor: "ann",
      reason: "Not our supplier",
    });
    expect((await orders.published(id)).at(-1)).toMatchObject({
      type: "orders.order-status-changed.v1",
      data: { status: "Cancelled", cancelReason: "Not our supplier" },
    });
  });

  it("is allowed to the maker too, because it moves no money", async () => {
    const id = await orders.waitingWire();
    expect((await deny(id, "maker")).value.cancellable).toBe(false);
  });

  it("refuses every later approval, cancellation and denial", async () => {
    const id = await orders.waitingWire();
    await orders.approve(id, "ben");
    await deny(id);
    const pending = { currentStatus: "Pending" };
    await expectRefusal(orders.approve(id, "cat"), "invalid_state_transition", { context: pending });
    await expectRefusal(orders.cancel(id), "order_not_cancellable", { context: pending });
    await expectRefusal(deny(id), "invalid_state_transition", { context: pending });
  });

  it("is done once per Idempotency-Key", async () => {
    const id = await orders.waitingWire();
    const first = await deny(id, "ann", `deny ${id}`);
    const again = await deny(id, "ann", `deny ${id}`);
    expect([first.replayed, again.replayed]).toEqual([false, true]);
    expect(again.value).toEqual(first.value);
  });

  it("is refused for an order that waits for no approval", async () => {
    const draft = await orders.create({ rail: "Wire", submit: false });
    const submitted = await orders.create({ rail: "Wire" });
    const gone = await orders.create();
    await orders.holdPlaced(gone.id);
    await orders.untilPhase(gone.id, "HandingOff");
    for (const [{ id }, currentStatus] of [
      [draft, "Draft"],
      [submitted, "Submitted"],
      [gone, "Processing"],
    ] as const) {
      await expectRefusal(deny(id), "invalid_state_transition", {
        context: { currentStatus, allowedStatuses: ["Pending"] },
      });
    }
    expect(await orders.phaseOf(submitted.id)).toBe("ReservingFunds");
  });

  it("says what to do with an order whose money is not held yet, and takes an approval of it", async () => {
    const needsApproval = await orders.create({ rail: "Wire" });
    await expectRefusal(deny(needsApproval.id), "invalid_state_transition", {
      message:
        "This order is Submitted: its money is not held yet. Deny it once it is Pending, or cancel it.",
    });
    const needsNone = await orders.create();
    await expectRefusal(deny(needsNone.id), "invalid_state_transition", {
      message: "This order is Submitted and waits for no approval.",
    });

    expect((await orders.approve(needsApproval.id, "ben")).value).toMatchObject({
      status: "Submitted",
      approval: { received: 1 },
    });
    await orders.holdPlaced(needsApproval.id);
    await orders.untilPhase(needsApproval.id, "AwaitingApproval");
    expect((await deny(needsApproval.id)).value).toMatchObject({ status: "Pending", cancellable: false });
  });

  it("does not find another book's order", async () => {
    const id = await orders.waitingWire();
    const caller = orders.caller("ann", newId("ten"));
    await expectRefusal(orders.request(DenyOrder, { id, reason: "No" }, { caller }), "not_found");
  });
});

describe("somebody else's order", () => {
  it("is not found, like one that does not exist and an id that is malformed", async () => {
    const { id } = await orders.create();
    const stranger = orders.caller("maker", newId("ten"));
    for (const requested of [id, newId("po"), "po_nonsense", newId("la"), ""]) {
      const refusal = await refusalOf(orders.request(CancelOrder, { id: requested }, { caller: stranger }));
      expect([requested, refusal.code]).toEqual([requested, "not_found"]);
    }
    expect((await orders.read(id)).status).toBe("Submitted");
  });
});
