import { describe, expect, it } from "vitest";
import { scenarioOf } from "./scenarios.ts";

const accepted = { event: { kind: "Accepted" }, afterMs: 0 };
const settledAfter = (afterMs: number) => ({ event: { kind: "Settled" }, afterMs });
const returnedAfter = (code: string, afterMs: number) => ({ event: { kind: "Returned", code }, afterMs });

describe("what a rail does with an instruction", () => {
  it.each([
    ["Rtp", 0],
    ["Wire", 200],
    ["SameDayAch", 250],
    ["Ach", 300],
    ["Usdc", 300],
  ] as const)("accepts and settles: %s after %i ms", (rail, afterMs) => {
    expect(scenarioOf({ rail, direction: "Credit", accountNumber: "123456789" }, null)).toEqual({
      reason: "Success",
      steps: [accepted, settledAfter(afterMs)],
    });
  });

  it("returns before settlement for 100001", () => {
    expect(scenarioOf({ rail: "Ach", direction: "Debit", accountNumber: "100001" }, null)).toEqual({
      reason: "MagicNumber",
      steps: [accepted, returnedAfter("R01", 150)],
    });
  });

  it("settles and then returns late for 200010", () => {
    expect(scenarioOf({ rail: "Ach", direction: "Debit", accountNumber: "200010" }, null)).toEqual({
      reason: "MagicNumber",
      steps: [accepted, settledAfter(300), returnedAfter("R10", 450)],
    });
  });

  it("rejects for 300403 and accepts nothing", () => {
    expect(scenarioOf({ rail: "Rtp", direction: "Credit", accountNumber: "300403" }, null)).toEqual({
      reason: "MagicNumber",
      steps: [
        {
          event: { kind: "Failed", code: "AC03", message: "The receiver's account number is not valid" },
          afterMs: 0,
        },
      ],
    });
  });

  it("says nothing for 400000 until it is asked, and then that it settled", () => {
    expect(scenarioOf({ rail: "Wire", direction: "Credit", accountNumber: "400000" }, null)).toEqual({
      reason: "MagicNumber",
      steps: [{ event: { kind: "Settled" }, afterMs: null }],
    });
  });

  it("settles a magic number whose code can't happen there: submission has refused it already", () => {
    const steps = [accepted, settledAfter(300)];
    expect(scenarioOf({ rail: "Ach", direction: "Credit", accountNumber: "100001" }, null)).toEqual({
      reason: "Success",
      steps,
    });
  });

  it("puts an injection before a magic number", () => {
    const kept = { action: "return", code: "R02" } as const;
    expect(scenarioOf({ rail: "Ach", direction: "Debit", accountNumber: "200010" }, kept)).toEqual({
      reason: "Injection",
      steps: [accepted, returnedAfter("R02", 0)],
    });
  });

  it("settles a kept late return first, and returns it a moment later", () => {
    const kept = { action: "late-return", code: "R10" } as const;
    expect(scenarioOf({ rail: "Ach", direction: "Debit", accountNumber: "123456789" }, kept).steps).toEqual([
      accepted,
      settledAfter(0),
      returnedAfter("R10", 150),
    ]);
  });

  it("takes a kept accept to mean: accept, and stay there until told otherwise", () => {
    const kept = { action: "accept", code: null } as const;
    expect(scenarioOf({ rail: "Rtp", direction: "Credit", accountNumber: "123456789" }, kept).steps).toEqual([
      accepted,
    ]);
  });
});
