import { describe, expect, it } from "vitest";
import { aBookContext, anOrderIn, noon } from "../../../test/stack/orders/payment-order.ts";
import { type ApprovalPolicy, defaultApprovalPolicy } from "./approval-policy.ts";
import { approvalNow, approvalOf } from "./approval-view.ts";
import { approve } from "./approve.ts";
import { raisedRequirements, requirementsUnder, withApprovals } from "./approvals.ts";
import type { Approvals, OrderTerms } from "./payment-order.ts";

const strict = { ...defaultApprovalPolicy, requireApprovalForAll: true };

describe("the reasons for which an order needs approvals", () => {
  const reasons = (terms: Partial<OrderTerms>, policy: Partial<ApprovalPolicy> = {}) => {
    const order = anOrderIn("AwaitingApproval", { terms });
    const required = requirementsUnder(order.terms, { ...defaultApprovalPolicy, ...policy });
    return approvalOf(withApprovals(order, required)).reasons;
  };

  it("are none if the policy asks for none", () => {
    expect(reasons({ amountCents: 1_000_000 })).toEqual([]);
  });

  it.each([
    ["approvalThresholdCents", 1, 1_000_000, "Orders above $10,000.00 need one approval.", {}],
    [
      "dualApprovalThresholdCents",
      2,
      5_000_005,
      "Orders above $50,000.05 need two approvals.",
      {
        dualApprovalThresholdCents: 5_000_005,
      },
    ],
    [
      "requireApprovalForAll",
      1,
      null,
      "All orders need one approval.",
      {
        requireApprovalForAll: true,
        approvalThresholdCents: 9_999_999,
      },
    ],
    ["dualApprovalRails", 2, null, "Orders on Ach need two approvals.", { dualApprovalRails: ["Ach"] }],
  ] as const)("say in words that %s asks for %i", (rule, approvals, thresholdCents, detail, policy) => {
    const amountCents = rule === "dualApprovalThresholdCents" ? 5_000_006 : 1_000_001;
    expect(reasons({ amountCents }, policy)).toEqual([{ rule, approvals, thresholdCents, detail }]);
  });

  it("are all rules that ask for the most approvals, and none that asks for fewer", () => {
    const rules = reasons({ rail: "Wire", amountCents: 5_000_001 }, { requireApprovalForAll: true });
    expect(rules.map(({ rule }) => rule)).toEqual(["dualApprovalRails", "dualApprovalThresholdCents"]);
  });

  it("stay those of the submission if a later policy asks for less, and become those of one that asks for more", () => {
    const order = anOrderIn("AwaitingApproval", {
      progress: { approvals: { ...requirementsUnder(anOrderIn("Draft").terms, strict) } },
    });
    const rulesUnder = (policy: ApprovalPolicy) =>
      approvalOf(withApprovals(order, raisedRequirements(order, policy, noon))).reasons.map(
        ({ rule }) => rule,
      );
    expect(rulesUnder(defaultApprovalPolicy)).toEqual(["requireApprovalForAll"]);
    expect(rulesUnder({ ...strict, dualApprovalRails: ["Ach"] })).toEqual(["dualApprovalRails"]);
  });

  it("are unknown of an order of before they were recorded", () => {
    expect(
      approvalOf(anOrderIn("AwaitingApproval", { progress: { approvals: { required: 1 } } })).reasons,
    ).toEqual([]);
  });
});

const waiting = (approvals: Partial<Approvals> = {}) =>
  anOrderIn("AwaitingApproval", {
    progress: {
      approvals: { required: 1, ...approvals },
      timers: { pendingSince: "2026-03-04T16:00:00.000Z" },
    },
  });

describe("each approval that was given", () => {
  const at = noon.toISOString();
  const { orderHash } = waiting().progress.approvals;
  const by = (principal: string, change: object = {}) => ({ principal, at, orderHash, ...change });
  const counted = { at, counts: true, notCountedReason: null };

  it.each([
    ["RightLost", [by("ann", { isVoid: true })], {}],
    ["OrderChanged", [by("ann", { orderHash: "0".repeat(64) })], {}],
    ["GivenByMaker", [by("ann")], { makers: ["maker", "ann"] }],
  ] as const)("says that it does not count, and why: %s", (notCountedReason, given, approvals) => {
    expect(approvalOf(waiting({ required: 2, given, ...approvals }))).toMatchObject({
      received: 0,
      approvals: [{ principal: "ann", at, counts: false, notCountedReason }],
    });
  });

  it("counts once: the first of a person's counts, and one that is void makes no difference", () => {
    const given = [by("ann", { isVoid: true }), by("ann"), by("ANN"), by("ben")];
    const { approvals, received } = approvalOf(waiting({ required: 2, given }));
    expect(received).toBe(2);
    expect(approvals).toEqual([
      { principal: "ann", at, counts: false, notCountedReason: "RightLost" },
      { principal: "ann", ...counted },
      { principal: "ANN", at, counts: false, notCountedReason: "Repeated" },
      { principal: "ben", ...counted },
    ]);
  });

  it("is shown as it counts now, before the gate has stored that its principal lost the right", () => {
    const order = waiting({ required: 2, given: [by("ann")] });
    const expired = aBookContext({ approvalRights: new Map([["ann", { since: null, until: noon }]]) });
    const reader = { principal: "ben", mayApprove: true };
    expect(approvalNow(order, reader, aBookContext())).toMatchObject({
      received: 1,
      approvals: [{ counts: true }],
    });
    expect(approvalNow(order, reader, expired)).toMatchObject({
      received: 0,
      approvals: [{ principal: "ann", counts: false, notCountedReason: "RightLost" }],
    });
  });
});

describe("what an approval would come to", () => {
  const { orderHash } = waiting().progress.approvals;
  const ann = { principal: "ann", at: noon.toISOString(), orderHash };
  const tampered = { ...waiting(), terms: { ...waiting().terms, amountCents: 9 } };

  it.each([
    ["another principal", waiting(), "ann", true, null],
    ["the maker", waiting(), "maker", true, "self_approval_not_allowed"],
    [
      "the maker where the policy lets makers approve",
      waiting({ makersMayApprove: true }),
      "maker",
      true,
      null,
    ],
    ["who has approved", waiting({ required: 2, given: [ann] }), "ann", true, "duplicate_approval"],
    ["somebody without the scope", waiting(), "ann", false, "insufficient_scope"],
    ["a principal of a tampered order", tampered, "ann", true, "internal_error"],
    [
      "anybody of an order that has enough",
      waiting({ given: [ann] }),
      "ben",
      true,
      "invalid_state_transition",
    ],
  ])("says for %s the code that approve would answer", (_who, order, principal, mayApprove, code) => {
    const policy = { ...defaultApprovalPolicy, allowSelfApproval: true };
    const context = aBookContext({ policy });
    expect(approvalNow(order, { principal, mayApprove }, context).mine).toEqual({
      allowed: code === null,
      code,
    });
  });

  it("leaves the order as it is", () => {
    const order = waiting();
    const context = aBookContext();
    approvalNow(order, { principal: "ann", mayApprove: true }, context);
    expect(order).toEqual(waiting());
    expect(approve(order, "ann", context).order.phase).toBe("HandingOff");
  });

  it("is nothing for an order that waits for no approval", () => {
    const none = { expiresAt: null, mine: null };
    const ann = { principal: "ann", mayApprove: true };
    expect(approvalNow(anOrderIn("AwaitingWindow"), ann, aBookContext())).toMatchObject(none);
    expect(approvalNow(anOrderIn("Completed"), ann, aBookContext())).toMatchObject(none);
  });
});

describe("the time at which a waiting order is cancelled", () => {
  const expiresAt = (order = waiting(), policy: Partial<ApprovalPolicy> = {}) => {
    const context = aBookContext({ policy: { ...defaultApprovalPolicy, ...policy } });
    return approvalNow(order, { principal: "ann", mayApprove: false }, context).expiresAt;
  };

  it("is the policy's hours after it became Pending, by the policy in force", () => {
    expect(expiresAt()).toBe("2026-03-07T16:00:00.000Z");
    expect(expiresAt(waiting(), { approvalExpiresAfterHours: 1 })).toBe("2026-03-04T17:00:00.000Z");
  });

  it("counts anew from when it came to need more approvals", () => {
    expect(expiresAt(waiting({ raisedAt: "2026-03-04T16:30:00.000Z" }))).toBe("2026-03-07T16:30:00.000Z");
    expect(expiresAt(waiting(), { dualApprovalRails: ["Ach"] })).toBe("2026-03-07T17:00:00.000Z");
  });

  it("is never for an order that has its approvals, and waits for the end of a freeze", () => {
    expect(expiresAt(waiting({ required: 0 }))).toBeNull();
  });
});
