import { describe, expect, it } from "vitest";
import { type TimeoutAction, phaseTimeouts, dueAfter } from "./phase-timeouts.ts";
import { lifecycle } from "./lifecycle.ts";
import type { Phase } from "./payment-order.ts";

const timeouts: [Phase, number, TimeoutAction][] = [
  ["ReservingFunds", 10_000, { resend: "PlaceHold" }],
  ["CancellingBeforeHold", 10_000, { resend: "PlaceHold" }],
  ["AwaitingApproval", 30_000, { run: "EvaluateGate" }],
  ["AwaitingWindow", 30_000, { run: "EvaluateGate" }],
  ["HandingOff", 3_000, { resend: "InquireInstruction" }],
  ["InFlight", 30_000, { resend: "InquireInstruction" }],
  ["AwaitingReturns", 30_000, { run: "CompleteIfDelayOver" }],
  ["Settling", 10_000, { resend: "SettleHold" }],
  ["ReleasingAsFailed", 10_000, { resend: "ReleaseHold" }],
  ["ReleasingAsReturned", 10_000, { resend: "ReleaseHold" }],
  ["ReleasingAsCancelled", 10_000, { resend: "ReleaseHold" }],
  ["PostingLateReturn", 10_000, { resend: "PostLateReturn" }],
];
const atRest: Phase[] = ["Draft", "Completed", "Failed", "Returned", "Cancelled"];
const now = new Date("2026-03-04T17:00:00.000Z");

describe("a phase that waits for another service", () => {
  it.each(timeouts)("%s times out after %i ms: %j", (phase, afterMs, action) => {
    expect(phaseTimeouts[phase]).toEqual({ afterMs, action });
    expect(dueAfter(phase, 0, now)).toEqual(new Date(now.getTime() + afterMs));
  });

  it("is every phase except those that wait for a person or are final", () => {
    expect([...timeouts.map(([phase]) => phase), ...atRest].sort()).toEqual(Object.keys(lifecycle).sort());
    for (const phase of atRest)
      expect([phase, phaseTimeouts[phase], dueAfter(phase, 0, now)]).toEqual([phase, null, null]);
  });

  it("asks a silent rail and never sends it a second instruction", () => {
    expect(
      timeouts.filter(([, , action]) => "resend" in action && action.resend === "SubmitInstruction"),
    ).toEqual([]);
  });
});

it.each([
  [1, 6_000],
  [2, 12_000],
  [6, 192_000],
  [7, 300_000],
  [1_000_000, 300_000],
])("after %i timeouts the next wait is %i ms: each doubles it, up to five minutes", (count, waitMs) => {
  expect(dueAfter("HandingOff", count, now)).toEqual(new Date(now.getTime() + waitMs));
});
