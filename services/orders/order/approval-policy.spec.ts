import { describe, expect, it } from "vitest";
import type { Rail } from "../../../contracts/rails/rails.ts";
import {
  type ApprovalPolicy,
  approvalsRequired,
  defaultApprovalPolicy,
  canonicalPolicy,
  isSamePolicy,
  loosenedMembers,
} from "./approval-policy.ts";

describe("the default policy", () => {
  it("applies to a book that has set none", () => {
    expect(defaultApprovalPolicy).toEqual({
      requireApprovalForAll: false,
      approvalThresholdCents: 1_000_000,
      dualApprovalThresholdCents: 5_000_000,
      dualApprovalRails: ["Wire"],
      allowSelfApproval: false,
      requireVerifiedCounterparty: false,
      requireApprovalForLedgerTransactions: false,
      dailyLimitCents: null,
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
});

describe("a book's own policy", () => {
  it("can require one approval for every order, and still two where the dual rules apply", () => {
    const policy = { ...defaultApprovalPolicy, requireApprovalForAll: true };
    expect(approvalsRequired({ rail: "Rtp", amountCents: 1 }, policy)).toBe(1);
    expect(approvalsRequired({ rail: "Wire", amountCents: 1 }, policy)).toBe(2);
  });

  it("can require two above a dual threshold that is below the single one", () => {
    const policy = { ...defaultApprovalPolicy, dualApprovalThresholdCents: 0 };
    expect(approvalsRequired({ rail: "Rtp", amountCents: 1 }, policy)).toBe(2);
  });

  it("lists each rail once, in the order of the rails", () => {
    const policy: ApprovalPolicy = { ...defaultApprovalPolicy, dualApprovalRails: ["Wire", "Ach", "Wire"] };
    expect(canonicalPolicy(policy).dualApprovalRails).toEqual(["Ach", "Wire"]);
  });
});

describe("a policy is looser", () => {
  type Row = { [M in keyof ApprovalPolicy]: [M, ApprovalPolicy[M], ApprovalPolicy[M]] }[keyof ApprovalPolicy];
  /** Each goes from the first value to the second, and no further member changes. */
  const looser: Row[] = [
    ["requireApprovalForAll", true, false],
    ["approvalThresholdCents", 1_000_000, 1_000_001],
    ["dualApprovalThresholdCents", 5_000_000, 5_000_001],
    ["dualApprovalRails", ["Wire"], []],
    ["dualApprovalRails", ["Wire", "Usdc"], ["Wire"]],
    // It gains one rail and loses one: losing a rail is looser.
    ["dualApprovalRails", ["Wire"], ["Ach", "Rtp"]],
    ["allowSelfApproval", false, true],
    ["requireVerifiedCounterparty", true, false],
    ["requireApprovalForLedgerTransactions", true, false],
    ["dailyLimitCents", 100, 101],
    ["dailyLimitCents", 100, null],
    ["approvalExpiresAfterHours", 72, 73],
  ];
  const tighter: Row[] = [
    ["requireApprovalForAll", false, true],
    ["approvalThresholdCents", 1_000_000, 0],
    ["dualApprovalThresholdCents", 5_000_000, 4_999_999],
    ["dualApprovalRails", [], ["Book"]],
    ["dualApprovalRails", ["Wire"], ["Ach", "Wire"]],
    ["allowSelfApproval", true, false],
    ["requireVerifiedCounterparty", false, true],
    ["requireApprovalForLedgerTransactions", false, true],
    ["dailyLimitCents", 100, 99],
    ["dailyLimitCents", null, 999_999_999_999],
    ["approvalExpiresAfterHours", 72, 1],
  ];
  const equal: Row[] = [
    ["requireApprovalForAll", true, true],
    ["approvalThresholdCents", 7, 7],
    ["dualApprovalThresholdCents", 7, 7],
    ["dualApprovalRails", ["Ach", "Wire"], ["Wire", "Ach", "Ach"]],
    ["allowSelfApproval", true, true],
    ["requireVerifiedCounterparty", false, false],
    ["dailyLimitCents", null, null],
    ["dailyLimitCents", 100, 100],
    ["approvalExpiresAfterHours", 72, 72],
  ];
  const from = ([member, now]: Row): ApprovalPolicy => ({ ...defaultApprovalPolicy, [member]: now });
  const to = ([member, , next]: Row): ApprovalPolicy => ({ ...defaultApprovalPolicy, [member]: next });

  it.each(looser)("if %s changes from %j to %j", (...row) => {
    expect(loosenedMembers(to(row), from(row))).toEqual([row[0]]);
  });
  it.each(tighter)("not if %s changes from %j to %j, which is tighter", (...row) => {
    expect(loosenedMembers(to(row), from(row))).toEqual([]);
    expect(loosenedMembers(from(row), to(row))).toEqual([row[0]]);
  });
  it.each(equal)("not if %s changes from %j to %j, which is the same", (...row) => {
    expect([loosenedMembers(to(row), from(row)), loosenedMembers(from(row), to(row))]).toEqual([[], []]);
  });

  it.each([...looser, ...tighter])(
    "or tighter, and so another one, if %s changes from %j to %j",
    (...row) => {
      expect([isSamePolicy(to(row), from(row)), isSamePolicy(from(row), to(row))]).toEqual([false, false]);
    },
  );
  it.each(equal)("or tighter in no way, and so the same, if %s changes from %j to %j", (...row) => {
    expect(isSamePolicy(to(row), from(row))).toBe(true);
  });

  it("in the ways of these rows, which name every member", () => {
    const members = new Set<string>([...looser, ...tighter, ...equal].map(([member]) => member));
    expect([...members].sort()).toEqual(Object.keys(defaultApprovalPolicy).sort());
  });

  it("if any member is looser, whatever else it tightens", () => {
    const mixed = {
      ...defaultApprovalPolicy,
      requireApprovalForAll: true,
      dualApprovalRails: [],
      approvalExpiresAfterHours: 100,
    };
    expect(loosenedMembers(mixed, defaultApprovalPolicy)).toEqual([
      "dualApprovalRails",
      "approvalExpiresAfterHours",
    ]);
  });
});
