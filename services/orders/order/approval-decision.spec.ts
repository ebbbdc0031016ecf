import { describe, expect, it } from "vitest";
import { anOrderIn, aBookContext, noon, OrderOnTest } from "../../../test/stack/orders/payment-order.ts";
import { approvalOf } from "./approval-view.ts";
import { approve } from "./approve.ts";
import type { Approvals, Phase } from "./payment-order.ts";
import { cancelOrDeny, evaluateGate } from "./transition.ts";

const { orderHash } = anOrderIn("AwaitingApproval").progress.approvals;
const ann = { principal: "ann", at: "2026-03-04T16:30:00.000Z", orderHash };

const anOrder = (
  phase: Phase,
  approvals: Partial<Approvals> = {},
  pendingSince = "2026-03-04T16:00:00.000Z",
) =>
  new OrderOnTest(
    anOrderIn(phase, { progress: { approvals: { required: 1, ...approvals }, timers: { pendingSince } } }),
  );
const ended = (payment: OrderOnTest, trigger: "Cancel" | "Deny") => {
  payment.take((order) =>
    cancelOrDeny(order, trigger, aBookContext(), { actor: "omar", reason: "a duplicate" }),
  );
  return decisionOf(payment);
};
const decisionOf = ({ order }: OrderOnTest) => approvalOf(order).decision;

describe("the decision about an order that needs approvals", () => {
  it("is null while an approval is missing", () => {
    const payment = anOrder("AwaitingApproval", { required: 2 });
    payment.take((order) => approve(order, "ann", aBookContext()));
    expect(decisionOf(payment)).toBeNull();
  });

  it("names whoever gave the last approval, and when", () => {
    const payment = anOrder("AwaitingApproval", { required: 2, given: [ann] });
    payment.take((order) => approve(order, "ben", aBookContext()));
    expect(payment.order.phase).toBe("HandingOff");
    expect(decisionOf(payment)).toEqual({
      outcome: "Approved",
      decidedBy: "ben",
      decidedAt: "2026-03-04T17:00:00.000Z",
    });
  });

  it("has the time of the last approval even if a frozen book held the order back", () => {
    const payment = anOrder("AwaitingApproval", { given: [ann] });
    payment.take((order) => evaluateGate(order, aBookContext({ bookFrozen: true })));
    expect(decisionOf(payment)).toBeNull();
    payment.take((order) => evaluateGate(order, aBookContext()));
    expect(decisionOf(payment)).toEqual({ outcome: "Approved", decidedBy: "ann", decidedAt: ann.at });
  });

  it("names whoever denied or cancelled it", () => {
    const by = { decidedBy: "omar", decidedAt: noon.toISOString() };
    expect(ended(anOrder("AwaitingApproval"), "Deny")).toEqual({ outcome: "Denied", ...by });
    expect(ended(anOrder("AwaitingApproval"), "Cancel")).toEqual({ outcome: "Cancelled", ...by });
  });

  it("names nobody if nobody approved in time", () => {
    const payment = anOrder("AwaitingApproval", {}, "2026-03-01T17:00:00.000Z");
    payment.take((order) => evaluateGate(order, aBookContext()));
    expect(decisionOf(payment)).toEqual({
      outcome: "Expired",
      decidedBy: null,
      decidedAt: noon.toISOString(),
    });
  });

  it("stays when an approved order is cancelled before its window", () => {
    const saturday = aBookContext({ now: new Date("2026-03-07T17:00:00.000Z") });
    const payment = anOrder("AwaitingApproval", { given: [ann] });
    payment.take((order) => evaluateGate(order, saturday));
    expect(payment.order.phase).toBe("AwaitingWindow");
    expect(ended(payment, "Cancel")).toMatchObject({ outcome: "Approved", decidedBy: "ann" });
  });

  it("is dropped when the order comes to wait for approval again", () => {
    const saturday = { now: new Date("2026-03-07T17:00:00.000Z") };
    const payment = anOrder("AwaitingApproval", { given: [ann] });
    payment.take((order) => evaluateGate(order, aBookContext(saturday)));
    expect(decisionOf(payment)).not.toBeNull();
    const approvalRights = new Map([["ann", { since: null, until: noon }]]);
    payment.take((order) => evaluateGate(order, aBookContext({ ...saturday, approvalRights })));
    expect(payment.order.phase).toBe("AwaitingApproval");
    expect(decisionOf(payment)).toBeNull();
  });

  it("is null if the order needs no approval, or never waited", () => {
    const free = anOrder("AwaitingApproval", { required: 0 });
    free.take((order) => evaluateGate(order, aBookContext()));
    expect(free.order.progress.approvals).not.toHaveProperty("decision");
    expect(ended(anOrder("AwaitingApproval", { required: 0 }), "Cancel")).toBeNull();
    expect(ended(anOrder("ReservingFunds"), "Cancel")).toBeNull();
  });
});
