import { describe, expect, it } from "vitest";
import type { Fault } from "./faults.ts";
import type { Injection } from "./injection.ts";
import { chooseScenario as choose } from "./scenarios.ts";

const now = new Date("2026-07-01T12:00:00.000Z");
const after = (ms: number) => new Date(now.getTime() + ms);
const accepted = { event: { kind: "Accepted" }, dueAt: now };
const settledAfter = (ms: number) => ({ event: { kind: "Settled" }, dueAt: after(ms) });
const returnedAfter = (code: string, ms: number) => ({ event: { kind: "Returned", code }, dueAt: after(ms) });

/** In an Instant book. */
const chooseScenario = (
  instruction: Parameters<typeof choose>[0],
  pendingInjection: Injection | null,
  fault: Fault | null = null,
) => choose(instruction, { pendingInjection, fault, clock: { mode: "Instant" }, now });

describe("the scenario of an instruction", () => {
  it.each([
    ["Rtp", 0],
    ["Wire", 200],
    ["SameDayAch", 250],
    ["Ach", 300],
    ["Usdc", 300],
  ] as const)("is success by default: %s settles after %i ms", (rail, afterMs) => {
    expect(chooseScenario({ rail, direction: "Credit", accountNumber: "123456789" }, null)).toEqual({
      reason: "Success",
      steps: [accepted, settledAfter(afterMs)],
    });
  });

  it("is a return before settlement for 100001", () => {
    expect(chooseScenario({ rail: "Ach", direction: "Debit", accountNumber: "100001" }, null)).toEqual({
      reason: "MagicNumber",
      steps: [accepted, returnedAfter("R01", 150)],
    });
  });

  it("is a settlement and a late return for 200010", () => {
    expect(chooseScenario({ rail: "Ach", direction: "Debit", accountNumber: "200010" }, null)).toEqual({
      reason: "MagicNumber",
      steps: [accepted, settledAfter(300), returnedAfter("R10", 450)],
    });
  });

  it("is a reject without acceptance for 300403", () => {
    expect(chooseScenario({ rail: "Rtp", direction: "Credit", accountNumber: "300403" }, null)).toEqual({
      reason: "MagicNumber",
      steps: [
        {
          event: { kind: "Failed", code: "AC03", message: "The receiver's account number is not valid" },
          dueAt: now,
        },
      ],
    });
  });

  it("is a settlement that is published only on an inquiry for 400000", () => {
    expect(chooseScenario({ rail: "Wire", direction: "Credit", accountNumber: "400000" }, null)).toEqual({
      reason: "MagicNumber",
      steps: [{ ...settledAfter(0), onlyOnInquiry: true }],
    });
  });

  it("is success for a magic number whose code is impossible there: orders has refused it already", () => {
    const steps = [accepted, settledAfter(300)];
    expect(chooseScenario({ rail: "Ach", direction: "Credit", accountNumber: "100001" }, null)).toEqual({
      reason: "Success",
      steps,
    });
  });

  it("is the pending injection even for a magic number", () => {
    const pending = { action: "return", code: "R02" } as const;
    expect(chooseScenario({ rail: "Ach", direction: "Debit", accountNumber: "200010" }, pending)).toEqual({
      reason: "Injection",
      steps: [accepted, returnedAfter("R02", 0)],
    });
  });

  it("is a settlement and a return shortly after it for a pending late return", () => {
    const pending = { action: "late-return", code: "R10" } as const;
    expect(
      chooseScenario({ rail: "Ach", direction: "Debit", accountNumber: "123456789" }, pending).steps,
    ).toEqual([accepted, settledAfter(0), returnedAfter("R10", 150)]);
  });

  it("is only the acceptance for a pending accept", () => {
    const pending = { action: "accept", code: null } as const;
    expect(
      chooseScenario({ rail: "Rtp", direction: "Credit", accountNumber: "123456789" }, pending).steps,
    ).toEqual([accepted]);
  });
});
