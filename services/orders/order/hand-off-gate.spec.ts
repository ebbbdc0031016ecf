import { describe, expect, it } from "vitest";
import { anOrderIn, aBookContext, OrderOnTest, someTerms } from "../../../test/stack/orders/payment-order.ts";
import { withApprovals } from "./approvals.ts";
import { approvalRefusal } from "./approve.ts";
import { orderHash } from "./order-hash.ts";
import { cancelOrDeny, evaluateGate } from "./transition.ts";
import { defaultApprovalPolicy } from "./approval-policy.ts";
import { estimateSettlement } from "./settlement-estimate.ts";
import { OrderTampered, decideHandOff } from "./hand-off-gate.ts";
import type { Approval, OrderTerms, Phase } from "./payment-order.ts";

const wire = { rail: "Wire" } as const;
const at = (text: string) => new Date(text);
const approvedAt = (time: string, principals: string[], terms: Partial<OrderTerms> = {}): Approval[] =>
  principals.map((principal) => ({ principal, at: time, orderHash: orderHash(someTerms(terms)) }));

/** What the gate decides about an order in that phase. */
const triggerOf = (
  phase: Phase,
  order: Parameters<typeof anOrderIn>[1] = {},
  context: Parameters<typeof aBookContext>[0] = {},
) => decideHandOff(anOrderIn(phase, order), aBookContext(context)).trigger;

describe("the gate", () => {
  it("opens for an order that needs no approval while its window is open", () => {
    // Wednesday before noon in New York: this day's cutoff, and settlement on the next banking day.
    expect(decideHandOff(anOrderIn("AwaitingApproval"), aBookContext())).toEqual({
      trigger: "GateOpened",
      changed: {},
      estimate: {
        cutoff: {
          missed: false,
          cutoffAt: "2026-03-04T21:45:00.000Z",
          nextWindowOpensAt: null,
          reason: null,
        },
        expectedSettlementDate: "2026-03-05",
      },
    });
  });

  it("stays shut until the last approval is given", () => {
    const waiting = (given: Approval[]) =>
      triggerOf("AwaitingApproval", { terms: wire, progress: { approvals: { required: 2, given } } });
    expect(waiting([])).toBeNull();
    expect(waiting(approvedAt("2026-03-04T16:00:00.000Z", ["ann"], wire))).toBeNull();
    expect(waiting(approvedAt("2026-03-04T16:00:00.000Z", ["ann", "ben"], wire))).toBe("GateOpened");
  });

  it("does not move a suspended tenant's money", () => {
    expect(triggerOf("AwaitingApproval", {}, { tenantActive: false })).toBeNull();
    expect(triggerOf("AwaitingWindow", {}, { tenantActive: false })).toBeNull();
  });

  const tampered: Partial<OrderTerms>[] = [
    { amountCents: 999_999 },
    { counterpartyAccount: { keyId: "k1", ciphertext: "b3RoZXI=", last4: "6789" } },
    { counterpartyRoutingNumber: "021000089" },
    { metadata: { note: "later" } },
  ];
  it.each(tampered)("throws for an order whose terms changed after its approvals: %j", (change) => {
    const order = anOrderIn("AwaitingApproval");
    const changed = { ...order, terms: { ...order.terms, ...change } };
    expect(() => decideHandOff(changed, aBookContext())).toThrow(OrderTampered);
  });

  it("gets such an order once its hold is placed, which lets it be cancelled and nothing else", () => {
    const order = anOrderIn("ReservingFunds");
    const payment = new OrderOnTest({ ...order, terms: { ...order.terms, amountCents: 999_999 } });
    expect(payment.receive("HoldPlaced")).toBe("Applied");
    expect([payment.order.phase, payment.commands]).toEqual(["AwaitingApproval", []]);
    expect(() => evaluateGate(payment.order, aBookContext())).toThrow(OrderTampered);
    const by = { actor: "maker", reason: "RequestedByTenant" };
    payment.take((waiting) => cancelOrDeny(waiting, "Cancel", aBookContext(), by));
    expect([payment.order.phase, payment.commands]).toEqual(["ReleasingAsCancelled", ["ReleaseHold"]]);
  });

  it("throws for an amount that is not Actual, whatever its hash says", () => {
    const demo = anOrderIn("AwaitingApproval", { terms: { basis: "Demo" } });
    expect(() => decideHandOff(demo, aBookContext())).toThrow(OrderTampered);
  });
});

describe("a policy that changed since submission", () => {
  const strict = { ...defaultApprovalPolicy, requireApprovalForAll: true };

  it("counts if it was raised", () => {
    const answer = decideHandOff(anOrderIn("AwaitingApproval"), aBookContext({ policy: strict }));
    expect(answer).toEqual({
      trigger: null,
      changed: {
        required: 1,
        reasons: [{ rule: "requireApprovalForAll", approvals: 1, thresholdCents: null }],
        makersMayApprove: false,
        raisedAt: "2026-03-04T17:00:00.000Z",
      },
    });
  });

  it("moves the order's updatedAt, once", () => {
    const payment = new OrderOnTest(anOrderIn("AwaitingApproval"));
    const first = at("2026-03-04T18:00:00.000Z");
    for (const now of [first, at("2026-03-04T19:00:00.000Z")]) {
      payment.take((order) => evaluateGate(order, aBookContext({ policy: strict, now })));
    }
    expect(payment.order.updatedAt).toEqual(first);
  });

  it("sends an order that waits for its window back to its approvers, and keeps its approvals", () => {
    const given = approvedAt("2026-03-04T16:00:00.000Z", ["ann"]);
    const dual = { ...defaultApprovalPolicy, dualApprovalThresholdCents: 100 };
    const payment = new OrderOnTest(
      anOrderIn("AwaitingWindow", { progress: { approvals: { required: 1, given } } }),
    );
    payment.take((order) => evaluateGate(order, aBookContext({ policy: dual })));
    expect(payment.order).toMatchObject({
      phase: "AwaitingApproval",
      progress: { approvals: { required: 2, given } },
    });
  });

  it("gives the approvers of such an order the full time again", () => {
    const payment = new OrderOnTest(
      anOrderIn("AwaitingWindow", { progress: { timers: { pendingSince: "2026-02-20T15:00:00.000Z" } } }),
    );
    payment.take((order) => evaluateGate(order, aBookContext({ policy: strict })));
    expect(payment.order.phase).toBe("AwaitingApproval");
    const stateAt = (now: string) =>
      decideHandOff(payment.order, aBookContext({ policy: strict, now: at(now) })).trigger;
    expect(stateAt("2026-03-07T16:59:59.999Z")).toBeNull();
    expect(stateAt("2026-03-07T17:00:00.000Z")).toBe("ApprovalExpired");
  });

  it("no longer counts a maker's approval once it forbids it", () => {
    const given = approvedAt("2026-03-04T16:00:00.000Z", ["maker"]);
    const order = anOrderIn("AwaitingWindow", {
      progress: { approvals: { required: 1, makersMayApprove: true, given } },
    });
    const lax = { ...defaultApprovalPolicy, allowSelfApproval: true };
    expect(decideHandOff(order, aBookContext({ policy: lax })).trigger).toBe("GateOpened");
    expect(decideHandOff(order, aBookContext()).trigger).toBe("GateNeedsApproval");
  });

  it("does not count if it was lowered", () => {
    expect(triggerOf("AwaitingApproval", { progress: { approvals: { required: 2 } } })).toBeNull();
  });
});

describe("approvals that don't come", () => {
  const pending = anOrderIn("AwaitingApproval", {
    progress: { approvals: { required: 1 }, timers: { pendingSince: "2026-03-02T15:00:00.000Z" } },
  });

  it("expire after 72 hours, not before", () => {
    const stateAt = (now: string) => decideHandOff(pending, aBookContext({ now: at(now) })).trigger;
    expect(stateAt("2026-03-05T14:59:59.999Z")).toBeNull();
    expect(stateAt("2026-03-05T15:00:00.000Z")).toBe("ApprovalExpired");
  });

  it("are refused from then on, also before the order is cancelled", () => {
    const approveAt = (now: string) => approvalRefusal(pending, "ann", aBookContext({ now: at(now) }));
    expect(approveAt("2026-03-05T14:59:59.999Z")).toBeNull();
    expect(approveAt("2026-03-05T15:00:00.000Z")).toBe("invalid_state_transition");
  });

  it("do not expire once they are given: the order only waits for its window", () => {
    const given = approvedAt("2026-03-02T16:00:00.000Z", ["ann"]);
    const order = withApprovals(pending, { given });
    expect(decideHandOff(order, aBookContext({ now: at("2026-03-07T15:00:00.000Z") })).trigger).toBe(
      "GateNeedsWindow",
    );
  });
});

describe("a rail's window", () => {
  // Fridays and Mondays around 2026-03-08, when New York's clocks go forward.
  it.each([
    ["AfterCutoff", "2026-03-06T22:00:00.000Z", "2026-03-06T21:45:00.000Z", "2026-03-09T04:00:00.000Z"],
    ["Weekend", "2026-03-07T17:00:00.000Z", "2026-03-06T21:45:00.000Z", "2026-03-09T04:00:00.000Z"],
    ["Holiday", "2026-05-25T17:00:00.000Z", "2026-05-22T20:45:00.000Z", "2026-05-26T04:00:00.000Z"],
  ])("that is closed (%s) makes the order wait, and the cutoff says why", (reason, now, cutoffAt, opens) => {
    const payment = new OrderOnTest(anOrderIn("AwaitingApproval"));
    payment.take((order) => evaluateGate(order, aBookContext({ now: at(now) })));
    expect(payment.order).toMatchObject({
      phase: "AwaitingWindow",
      status: "Pending",
      progress: { estimate: { cutoff: { missed: true, cutoffAt, nextWindowOpensAt: opens, reason } } },
    });
    expect(payment.commands).toEqual([]);
    payment.take((order) => evaluateGate(order, aBookContext({ now: at(opens) })));
    expect(payment.order.phase).toBe("HandingOff");
  });

  it("that closed before the last approval makes the cutoff's reason ApprovedLate", () => {
    const late = anOrderIn("AwaitingApproval", {
      terms: wire,
      progress: {
        approvals: { required: 2, given: approvedAt("2026-03-04T22:05:00.000Z", ["ann", "ben"], wire) },
        timers: { pendingSince: "2026-03-04T15:00:00.000Z" },
      },
    });
    expect(decideHandOff(late, aBookContext({ now: at("2026-03-04T22:05:00.000Z") }))).toEqual({
      trigger: "GateNeedsWindow",
      changed: {},
      estimate: {
        cutoff: {
          missed: true,
          cutoffAt: "2026-03-04T22:00:00.000Z",
          nextWindowOpensAt: "2026-03-05T02:00:00.000Z",
          reason: "ApprovedLate",
        },
      },
      decidesAgainAt: at("2026-03-05T02:00:00.000Z"),
    });
  });

  it("is always open for RTP, even on Christmas Day, and for every rail with the Instant clock", () => {
    const christmas = at("2026-12-25T15:00:00.000Z");
    expect(triggerOf("AwaitingApproval", { terms: { rail: "Rtp" } }, { now: christmas })).toBe("GateOpened");
    expect(triggerOf("AwaitingApproval", {}, { now: christmas, clock: "Instant" })).toBe("GateOpened");
  });

  it("keeps a waiting order waiting while it is closed", () => {
    expect(triggerOf("AwaitingWindow", {}, { now: at("2026-03-07T17:00:00.000Z") })).toBeNull();
  });
});

describe("the effective date", () => {
  const dated = (phase: "AwaitingApproval" | "AwaitingWindow", effectiveDate: string) =>
    triggerOf(phase, { terms: { effectiveDate } }, { now: at("2026-03-05T03:30:00.000Z") });

  it("keeps an order waiting until it begins in New York", () => {
    // 22:30 on Wednesday the 4th in New York, the 5th already in UTC.
    expect(dated("AwaitingApproval", "2026-03-05")).toBe("GateNeedsWindow");
    expect(dated("AwaitingWindow", "2026-03-05")).toBeNull();
  });

  it("keeps it waiting with the Instant clock too, although windows are always open", () => {
    const order = anOrderIn("AwaitingApproval", { terms: { rail: "Rtp", effectiveDate: "2026-03-05" } });
    expect(decideHandOff(order, aBookContext({ clock: "Instant" })).trigger).toBe("GateNeedsWindow");
    const thatDay = aBookContext({ clock: "Instant", now: at("2026-03-05T05:00:00.000Z") });
    expect(decideHandOff({ ...order, phase: "AwaitingWindow" }, thatDay).trigger).toBe("GateOpened");
  });
});

describe("a cutoff", () => {
  // Friday's cutoff, a Saturday, and the window of the Monday after.
  const closed = { now: at("2026-03-07T17:00:00.000Z") };
  const cutoffOf = (phase: "AwaitingApproval" | "AwaitingWindow", effectiveDate: string | null) =>
    decideHandOff(anOrderIn(phase, { terms: { effectiveDate } }), aBookContext(closed)).estimate?.cutoff;
  const next = {
    missed: false,
    cutoffAt: "2026-03-09T20:45:00.000Z",
    nextWindowOpensAt: "2026-03-09T04:00:00.000Z",
    reason: null,
  };

  it("before the order's effective date was missed by nobody: the next one counts", () => {
    expect(cutoffOf("AwaitingApproval", "2026-03-07")).toEqual(next);
    expect(cutoffOf("AwaitingWindow", "2026-03-07")).toEqual(next);
    const order = anOrderIn("AwaitingWindow", { terms: { effectiveDate: "2026-03-07" } });
    const submitted = aBookContext({ now: at("2026-03-03T15:00:00.000Z") });
    expect(estimateSettlement(order, submitted)).toEqual({
      cutoff: next,
      expectedSettlementDate: "2026-03-10",
    });
  });

  it("on the order's effective date, or after it, was missed", () => {
    const missed = { missed: true, cutoffAt: "2026-03-06T21:45:00.000Z", reason: "Weekend" };
    expect(cutoffOf("AwaitingWindow", "2026-03-06")).toMatchObject(missed);
    expect(cutoffOf("AwaitingWindow", "2026-03-02")).toMatchObject(missed);
    expect(cutoffOf("AwaitingWindow", null)).toMatchObject(missed);
  });
});
