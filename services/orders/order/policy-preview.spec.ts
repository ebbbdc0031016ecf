import { describe, expect, it } from "vitest";
import {
  aBookContext,
  anOrderIn,
  noon,
  type ProgressChange,
} from "../../../test/stack/orders/payment-order.ts";
import { type ApprovalPolicy, defaultApprovalPolicy } from "./approval-policy.ts";
import { effectsOf, touchedBy } from "./policy-preview.ts";

const changed = (change: Partial<ApprovalPolicy>): ApprovalPolicy => ({
  ...defaultApprovalPolicy,
  ...change,
});
const effects = (change: Partial<ApprovalPolicy>) => effectsOf(changed(change), defaultApprovalPolicy);

describe("the effects of a policy", () => {
  it("are none if it says the same", () => {
    expect(effects({})).toEqual({ outcome: "Unchanged", changes: [] });
  });

  it.each<[keyof ApprovalPolicy, Partial<ApprovalPolicy>, string, string]>([
    [
      "requireApprovalForAll",
      { requireApprovalForAll: true },
      "Orders below the thresholds need no approval.",
      "Every order needs an approval.",
    ],
    [
      "approvalThresholdCents",
      { approvalThresholdCents: 5 },
      "Orders above $10,000.00 need one approval.",
      "Orders above $0.05 need one approval.",
    ],
    [
      "dualApprovalThresholdCents",
      { dualApprovalThresholdCents: 123_456 },
      "Orders above $50,000.00 need two approvals.",
      "Orders above $1,234.56 need two approvals.",
    ],
    [
      "dualApprovalRails",
      { dualApprovalRails: ["Rtp", "Wire"] },
      "Orders on Wire need two approvals.",
      "Orders on Rtp, Wire need two approvals.",
    ],
    [
      "requireVerifiedCounterparty",
      { requireVerifiedCounterparty: true },
      "Orders may go to counterparties that nobody verified.",
      "Orders must name a verified counterparty.",
    ],
    [
      "requireApprovalForLedgerTransactions",
      { requireApprovalForLedgerTransactions: true },
      "Ledger transactions need no second principal.",
      "Ledger transactions above the threshold need a second principal.",
    ],
    [
      "dailyLimitCents",
      { dailyLimitCents: 100 },
      "Credits have no daily limit.",
      "Credits may add up to $1.00 a day.",
    ],
    [
      "approvalExpiresAfterHours",
      { approvalExpiresAfterHours: 1 },
      "Orders that wait for approval are cancelled after 72 hours.",
      "Orders that wait for approval are cancelled after 1 hour.",
    ],
  ])("of a tighter %s are in force at once", (field, change, before, after) => {
    const change1 = { field, loosens: false, tightens: true, before, after };
    expect(effects(change)).toEqual({ outcome: "InForce", changes: [change1] });
    // The other way round it is looser.
    const back = { field, loosens: true, tightens: false, before: after, after: before };
    expect(effectsOf(defaultApprovalPolicy, changed(change))).toEqual({
      outcome: "Proposed",
      changes: [back],
    });
  });

  it("are proposed as a whole if one field is looser", () => {
    const { outcome, changes } = effects({ allowSelfApproval: true, dualApprovalRails: ["Ach"] });
    expect(outcome).toBe("Proposed");
    expect(changes).toMatchObject([
      { field: "dualApprovalRails", loosens: true, tightens: true },
      { field: "allowSelfApproval", loosens: true, tightens: false },
    ]);
  });
});

describe("an order that waits", () => {
  const waiting = (approvals: ProgressChange["approvals"], phase: "AwaitingApproval" | "AwaitingWindow") =>
    anOrderIn(phase, {
      progress: { approvals, timers: { pendingSince: "2026-03-04T13:00:00.000Z" } },
    });
  const orderHash = anOrderIn("AwaitingApproval").progress.approvals.orderHash;
  const ann = { principal: "ann", at: noon.toISOString(), orderHash };
  const touched = (
    change: Partial<ApprovalPolicy>,
    approvals: ProgressChange["approvals"] = { required: 1 },
    phase: "AwaitingApproval" | "AwaitingWindow" = "AwaitingApproval",
  ) => touchedBy(changed(change), waiting(approvals, phase), aBookContext());

  it("needs more approvals under a policy that asks for more, and then has longer to get them", () => {
    expect(touched({ dualApprovalThresholdCents: 0 })).toMatchObject({
      required: { before: 1, after: 2 },
      missing: { before: 1, after: 2 },
      expiresAt: "2026-03-07T17:00:00.000Z",
    });
  });

  it("needs another one, although it had enough and waits for its window", () => {
    const approvals = { required: 1, given: [ann] };
    expect(touched({ dualApprovalRails: ["Ach"] }, approvals, "AwaitingWindow")).toMatchObject({
      required: { before: 1, after: 2 },
      missing: { before: 0, after: 1 },
      expiresAt: null,
    });
  });

  it("lacks its maker's approval under a policy that excludes makers", () => {
    const approvals = { required: 1, makersMayApprove: true, given: [{ ...ann, principal: "maker" }] };
    const now = changed({ allowSelfApproval: true });
    const order = waiting(approvals, "AwaitingWindow");
    expect(touchedBy(defaultApprovalPolicy, order, aBookContext({ policy: now }))).toMatchObject({
      required: { before: 1, after: 1 },
      missing: { before: 0, after: 1 },
    });
  });

  it("never needs fewer", () => {
    const looser = { approvalThresholdCents: 900_000_000, dualApprovalThresholdCents: 900_000_000 };
    expect(touched(looser, { required: 2 })).toMatchObject({
      required: { before: 2, after: 2 },
      missing: { before: 2, after: 2 },
    });
  });

  it("lapses by the hours of the policy", () => {
    expect(touched({ approvalExpiresAfterHours: 4 }).expiresAt).toBe("2026-03-04T17:00:00.000Z");
  });
});
