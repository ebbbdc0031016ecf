import { describe, expect, it } from "vitest";
import { type Chase, deadlines, dueAfter } from "./phase-timeouts.ts";
import { lifecycle } from "./lifecycle.ts";
import type { Phase } from "./payment-order.ts";

const chases: [Phase, number, Chase][] = [
  ["ReservingFunds", 10_000, { resend: "PlaceHold" }],
  ["CancellingBeforeHold", 10_000, { resend: "PlaceHold" }],
  ["AwaitingApproval", 30_000, { run: "TryGate" }],
  ["AwaitingWindow", 30_000, { run: "TryGate" }],
  ["HandingOff", 3_000, { resend: "InquireInstruction" }],
  ["InFlight", 30_000, { resend: "InquireInstruction" }],
  ["AwaitingReturns", 30_000, { run: "EndReturnWindow" }],
  ["Settling", 10_000, { resend: "SettleHold" }],
  ["ReleasingAsFailed", 10_000, { resend: "ReleaseHold" }],
  ["ReleasingAsReturned", 10_000, { resend: "ReleaseHold" }],
  ["ReleasingAsCancelled", 10_000, { resend: "ReleaseHold" }],
  ["PostingLateReturn", 10_000, { resend: "PostLateReturn" }],
];
const atRest: Phase[] = ["Draft", "Completed", "Failed", "Returned", "Cancelled"];
const now = new Date("2026-03-04T17:00:00.000Z");

describe("a phase that somebody must end", () => {
  it.each(chases)("%s is chased after %i ms: %j", (phase, afterMs, chase) => {
    expect(deadlines[phase]).toEqual({ afterMs, chase });
    expect(dueAfter(phase, 0, now)).toEqual(new Date(now.getTime() + afterMs));
  });

  it("is every phase but those at rest", () => {
    expect([...chases.map(([phase]) => phase), ...atRest].sort()).toEqual(Object.keys(lifecycle).sort());
    for (const phase of atRest)
      expect([phase, deadlines[phase], dueAfter(phase, 0, now)]).toEqual([phase, null, null]);
  });

  it("never sends a second instruction to a rail that has not answered: it asks", () => {
    expect(chases.filter(([, , chase]) => "resend" in chase && chase.resend === "SubmitInstruction")).toEqual(
      [],
    );
  });
});

it.each([
  [1, 6_000],
  [2, 12_000],
  [6, 192_000],
  [7, 300_000],
  [1_000_000, 300_000],
])("after %i chases the next wait is %i ms: each doubles it, to five minutes at most", (count, waitMs) => {
  expect(dueAfter("HandingOff", count, now)).toEqual(new Date(now.getTime() + waitMs));
});
