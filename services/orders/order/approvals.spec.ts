import { describe, expect, it } from "vitest";
import { rails } from "../../../contracts/rails/rails.ts";
import { anOrderIn, aBookContext, OrderOnTest, noon } from "../../../test/stack/orders/payment-order.ts";
import { defaultApprovalPolicy } from "./approval-policy.ts";
import {
  type ApprovalRight,
  changedApprovals,
  countingApprovals,
  raisedRequirements,
  requirementsByRange,
  requirementsUnder,
} from "./approvals.ts";
import { approve } from "./approve.ts";
import { evaluateGate } from "./transition.ts";
import type { Approvals } from "./payment-order.ts";

const at = noon.toISOString();
const strict = { ...defaultApprovalPolicy, requireApprovalForAll: true };
const selfApproving = { ...defaultApprovalPolicy, allowSelfApproval: true };

describe("the requirements by range", () => {
  it.each([
    defaultApprovalPolicy,
    { ...defaultApprovalPolicy, approvalThresholdCents: 0, dualApprovalThresholdCents: 0 },
    { ...defaultApprovalPolicy, approvalThresholdCents: 900, dualApprovalThresholdCents: 300 },
    { ...defaultApprovalPolicy, requireApprovalForAll: true, allowSelfApproval: true },
  ])("are those of each order, in one range: %j", (policy) => {
    const { approvalThresholdCents: one, dualApprovalThresholdCents: two } = policy;
    for (const amountCents of [1, one, one + 1, two, two + 1, 999_999_999_999].filter((cents) => cents > 0)) {
      for (const rail of rails) {
        const ranges = requirementsByRange(policy).filter(
          (range) => range.rail === rail && amountCents > range.aboveCents && amountCents <= range.upToCents,
        );
        expect(ranges).toHaveLength(1);
        expect(ranges[0]).toMatchObject(requirementsUnder({ rail, amountCents }, policy));
      }
    }
  });
});

describe("the approvals that an order requires", () => {
  it("are raised by a stricter policy, never lowered by a looser one", () => {
    const one = anOrderIn("AwaitingApproval", { progress: { approvals: { required: 1 } } });
    const dual = { ...defaultApprovalPolicy, dualApprovalThresholdCents: 0 };
    expect(raisedRequirements(one, dual, noon)).toEqual({
      required: 2,
      reasons: [{ rule: "dualApprovalThresholdCents", approvals: 2, thresholdCents: 0 }],
      makersMayApprove: false,
      raisedAt: "2026-03-04T17:00:00.000Z",
    });
    expect(raisedRequirements(one, strict, noon)).toEqual({});
    expect(raisedRequirements(one, defaultApprovalPolicy, noon)).toEqual({});
  });

  it("never include a maker's approval that the submission excluded", () => {
    expect(raisedRequirements(anOrderIn("AwaitingApproval"), selfApproving, noon)).toEqual({});
  });

  it("exclude a maker's approval once one policy since submission has excluded it", () => {
    const lax = anOrderIn("AwaitingApproval", {
      progress: { approvals: { required: 1, makersMayApprove: true } },
    });
    expect(raisedRequirements(lax, selfApproving, noon)).toEqual({});
    expect(raisedRequirements(lax, defaultApprovalPolicy, noon)).toMatchObject({ makersMayApprove: false });
  });
});

describe("the approvals that count", () => {
  const counted = (approvals: Partial<Approvals>) =>
    countingApprovals(anOrderIn("AwaitingApproval", { progress: { approvals } }).progress.approvals).map(
      ({ principal }) => principal,
    );
  const { orderHash } = anOrderIn("AwaitingApproval").progress.approvals;
  const given = ["maker", "ann", "ann"].map((principal) => ({ principal, at, orderHash }));

  it("are one per principal, and none is a maker's", () => {
    expect(counted({ required: 1, given })).toEqual(["ann"]);
    expect(counted({ required: 1, given, makers: ["maker", "ann"] })).toEqual([]);
  });

  it("are one per person: a name that looks like another is the same", () => {
    // U+0430 is the Cyrillic letter that looks like an a.
    const alike = ["m\u0430ker", "ann", "\u0430nn", "ANN"].map((principal) => ({ principal, at, orderHash }));
    expect(counted({ required: 2, given: alike })).toEqual(["ann"]);
  });

  it("include a maker's if one is enough and the policies allow it, never if two are needed", () => {
    expect(counted({ required: 1, makersMayApprove: true, given })).toEqual(["maker", "ann"]);
    expect(counted({ required: 2, makersMayApprove: true, given })).toEqual(["ann"]);
  });

  it("are for exactly these terms: an approval names the hash that it was given for", () => {
    const forTwoHashes = [
      { principal: "ann", at, orderHash },
      { principal: "ben", at, orderHash: "0".repeat(64) },
    ];
    expect(counted({ required: 2, given: forTwoHashes })).toEqual(["ann"]);
  });
});

describe("an approval of a principal who may not approve any more", () => {
  const { orderHash } = anOrderIn("AwaitingApproval").progress.approvals;
  const given = [{ principal: "ann", at, orderHash }];
  const until = (time: string) =>
    aBookContext({ approvalRights: new Map([["ann", { since: null, until: new Date(time) }]]) });
  const past = until("2026-03-04T17:00:00.000Z");
  const future = until("2026-03-04T17:00:00.001Z");
  const one = (approvals: Partial<Approvals> = {}) =>
    anOrderIn("AwaitingApproval", { progress: { approvals: { required: 1, given, ...approvals } } });

  it("is void, and the approval deadline begins again", () => {
    const changed = changedApprovals(one(), past);
    expect(changed).toEqual({ given: [{ ...given[0], isVoid: true }], raisedAt: at });
    expect(countingApprovals({ ...one().progress.approvals, ...changed })).toEqual([]);
    expect(changedApprovals(one(), future)).toEqual({});
  });

  it("changes nothing further while it stays void, and counts again when its principal may approve", () => {
    const isVoid = one({ given: given.map((approval) => ({ ...approval, isVoid: true })) });
    expect(changedApprovals(isVoid, past)).toEqual({});
    expect(changedApprovals(isVoid, future)).toEqual({ given });
  });

  it("does not open the gate, and sends an order that waited for its window back to wait for approval", () => {
    const gate = (phase: "AwaitingApproval" | "AwaitingWindow", context = past) => {
      const approvals = { required: 1, given };
      const timers = { pendingSince: "2020-01-01T00:00:00.000Z" };
      const order = anOrderIn(phase, { progress: { approvals, timers } });
      return evaluateGate(order, context).order.phase;
    };
    expect(gate("AwaitingApproval")).toBe("AwaitingApproval");
    expect(gate("AwaitingWindow")).toBe("AwaitingApproval");
    expect(gate("AwaitingWindow", future)).toBe("HandingOff");
  });

  it("lets another principal approve, and not the same one twice", () => {
    const gets = (by: string) => new OrderOnTest(one()).take((order) => approve(order, by, past)).order;
    expect(gets("ben").phase).toBe("HandingOff");
    expect(() => gets("ann")).toThrow(expect.objectContaining({ code: "duplicate_approval" }));
  });
});

describe("an approval of what was shown", () => {
  const order = anOrderIn("AwaitingApproval", { progress: { approvals: { required: 2 } } });
  const { orderHash } = order.progress.approvals;

  it("counts if the order has the hash that was shown", () => {
    const approved = approve(order, "ann", aBookContext(), orderHash ?? "").order;
    expect(countingApprovals(approved.progress.approvals)).toMatchObject([{ principal: "ann", orderHash }]);
  });

  it("is refused if the order has another one", () => {
    expect(() => approve(order, "ann", aBookContext(), "0".repeat(64))).toThrow(
      expect.objectContaining({ code: "order_changed" }),
    );
  });
});

describe("an approval from before its principal lost the right to approve", () => {
  const { orderHash } = anOrderIn("AwaitingApproval").progress.approvals;
  const given = [{ principal: "ann", at, orderHash }];
  const since = (time: string) =>
    aBookContext({ approvalRights: new Map([["ann", { since: new Date(time), until: null }]]) });
  const after = since("2026-03-04T17:00:00.001Z");
  const one = (change: Partial<Approvals> = {}) =>
    anOrderIn("AwaitingApproval", { progress: { approvals: { required: 2, given, ...change } } });

  it("stays void when the principal gets a new key, and one from then on counts", () => {
    expect(changedApprovals(one(), after)).toEqual({ given: [{ ...given[0], isVoid: true }], raisedAt: at });
    expect(changedApprovals(one(), since(at))).toEqual({});
  });

  it("can be given again with the new key, once", () => {
    const order = new OrderOnTest(one());
    const later = { ...after, now: new Date("2026-03-04T17:00:00.001Z") };
    order.take((before) => approve(before, "ann", later));
    expect(countingApprovals(order.order.progress.approvals)).toHaveLength(1);
    expect(() => order.take((before) => approve(before, "ann", later))).toThrow(
      expect.objectContaining({ code: "duplicate_approval" }),
    );
  });
});

describe("in a book that is a month ahead, the right to approve", () => {
  const [realAt, ahead] = [new Date("2026-03-04T17:00:00.000Z"), new Date("2026-04-04T17:00:00.000Z")];
  const inBook = (right: ApprovalRight) =>
    aBookContext({
      now: ahead,
      realNow: realAt,
      hasOwnClock: true,
      approvalRights: new Map([["ann", right]]),
    });
  const waiting = anOrderIn("AwaitingApproval", { progress: { approvals: { required: 2 } } });

  it("ends in real time: an approval counts while the book is past its end", () => {
    const { order } = approve(
      waiting,
      "ann",
      inBook({ since: null, until: new Date("2026-03-05T17:00:00.000Z") }),
    );
    const [given] = order.progress.approvals.given;
    expect(given).toMatchObject({ at: ahead.toISOString(), realAt: realAt.toISOString() });
    expect(countingApprovals(order.progress.approvals)).toHaveLength(1);
  });

  it("begins in real time: an approval from before it is void, though the book was past it then", () => {
    const { order } = approve(waiting, "ann", inBook({ since: null, until: null }));
    const regained = inBook({ since: new Date("2026-03-20T17:00:00.000Z"), until: null });
    expect(changedApprovals(order, regained)).toMatchObject({ given: [{ isVoid: true }] });
  });
});

describe("an approval", () => {
  const approved = (approvals: Partial<Approvals>, principal: string, policy = defaultApprovalPolicy) => {
    const payment = new OrderOnTest(anOrderIn("AwaitingApproval", { progress: { approvals } }));
    payment.take((order) => approve(order, principal, aBookContext({ policy })));
    return payment.order;
  };
  const one = { required: 1 };

  it("records who approved, when, and exactly what", () => {
    const { given, orderHash } = approved({ required: 2 }, "ann").progress.approvals;
    expect(given).toEqual([{ principal: "ann", at: "2026-03-04T17:00:00.000Z", orderHash }]);
    expect(orderHash).toMatch(/^[0-9a-f]{64}$/);
  });

  it("under a name that looks like a maker's or an approver's is refused", () => {
    const { orderHash } = anOrderIn("AwaitingApproval").progress.approvals;
    const given = [{ principal: "ann", at, orderHash }];
    expect(() => approved(one, "m\u0430ker")).toThrow(
      expect.objectContaining({ code: "self_approval_not_allowed" }),
    );
    expect(() => approved({ required: 2, given }, "\u0430nn")).toThrow(
      expect.objectContaining({ code: "duplicate_approval" }),
    );
  });

  it("of a maker opens the gate if the policy has let makers approve since submission", () => {
    expect(approved({ ...one, makersMayApprove: true }, "maker", selfApproving).phase).toBe("HandingOff");
  });

  it.each([
    { when: "no policy before the current one allowed it", approvals: one, policy: selfApproving },
    {
      when: "the current policy forbids it",
      approvals: { ...one, makersMayApprove: true },
      policy: defaultApprovalPolicy,
    },
    { when: "two are needed", approvals: { required: 2, makersMayApprove: true }, policy: selfApproving },
  ])("of a maker is refused when $when", ({ approvals, policy }) => {
    expect(() => approved(approvals, "maker", policy)).toThrow(
      expect.objectContaining({ code: "self_approval_not_allowed" }),
    );
  });

  it("is accepted for an order that needs one only since the policy was raised", () => {
    const payment = new OrderOnTest(anOrderIn("ReservingFunds"));
    payment.take((order) => approve(order, "ann", aBookContext({ policy: strict })));
    expect(payment.order.progress.approvals).toMatchObject({ required: 1, given: [{ principal: "ann" }] });
  });

  it("is accepted for an order that waited for its window when the policy was raised", () => {
    const saturday = new Date("2026-03-07T17:00:00.000Z");
    const payment = new OrderOnTest(anOrderIn("AwaitingWindow"));
    payment.take((order) => approve(order, "ann", aBookContext({ policy: strict, now: saturday })));
    expect(payment.order).toMatchObject({
      phase: "AwaitingWindow",
      progress: { approvals: { required: 1, given: [{ principal: "ann" }] } },
    });
  });

  it("is refused for an order that waits for its window and lacks no approval", () => {
    const saturday = new Date("2026-03-07T17:00:00.000Z");
    expect(() => approve(anOrderIn("AwaitingWindow"), "ann", aBookContext({ now: saturday }))).toThrow(
      expect.objectContaining({ code: "invalid_state_transition" }),
    );
  });
});
