import { describe, expect, it } from "vitest";
import type { Rail } from "../../../contracts/rails.ts";
import { approvalsRequired, defaultApprovalPolicy, makerMayApprove } from "./approval-policy.ts";

describe("the default policy", () => {
  it("is what an untouched book has", () => {
    expect(defaultApprovalPolicy).toEqual({
      requireApprovalForAll: false,
      approvalThresholdCents: 1_000_000,
      dualApprovalThresholdCents: 5_000_000,
      dualApprovalRails: ["Wire"],
      allowSelfApproval: false,
      approvalExpiresAfterHours: 72,
    });
  });

  it.each<[Rail, number, number]>([
    ["Ach", 1, 0],
    ["Ach", 1_000_000, 0],
    ["Ach", 1_000_001, 1],
    ["Ach", 5_000_000, 1],
    ["Ach", 5_000_001, 2],
    ["Book", 5_000_001, 2],
    ["Wire", 1, 2],
  ])("a threshold must be exceeded, not reached: %s of %i cents needs %i", (rail, amountCents, required) => {
    expect(approvalsRequired({ rail, amountCents }, defaultApprovalPolicy)).toBe(required);
  });

  it("lets no maker approve", () => {
    expect(makerMayApprove(1, defaultApprovalPolicy)).toBe(false);
    expect(makerMayApprove(2, defaultApprovalPolicy)).toBe(false);
  });
});

describe("a book's own policy", () => {
  it("can ask one approval of every order, and still two where two are due", () => {
    const policy = { ...defaultApprovalPolicy, requireApprovalForAll: true };
    expect(approvalsRequired({ rail: "Rtp", amountCents: 1 }, policy)).toBe(1);
    expect(approvalsRequired({ rail: "Wire", amountCents: 1 }, policy)).toBe(2);
  });

  it("can let a maker approve alone, but never as one of two", () => {
    const policy = { ...defaultApprovalPolicy, allowSelfApproval: true };
    expect(makerMayApprove(1, policy)).toBe(true);
    expect(makerMayApprove(2, policy)).toBe(false);
  });
});
