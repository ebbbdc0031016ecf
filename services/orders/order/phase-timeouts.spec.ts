import { describe, expect, it } from "vitest";
import { aBookContext, anOrderIn } from "../../../test/stack/orders/payment-order.ts";
import { type TimeoutAction, phaseTimeouts, dueAfter } from "./phase-timeouts.ts";
import type { ClockMode } from "../../../contracts/book-clock.ts";
import type { Rail } from "../../../contracts/rails/rails.ts";
import { lifecycle } from "./lifecycle.ts";
import type { OrderTerms, Phase } from "./payment-order.ts";

const timeouts: [Phase, number, TimeoutAction][] = [
  ["ReservingFunds", 10_000, { resend: "PlaceHold" }],
  ["CancellingBeforeHold", 10_000, { resend: "PlaceHold" }],
  ["AwaitingApproval", 30_000, { run: "EvaluateGate" }],
  ["AwaitingWindow", 30_000, { run: "EvaluateGate" }],
  ["HandingOff", 3_000, { resend: "InquireInstruction" }],
  ["InFlight", 20_000, { resend: "InquireInstruction" }],
  ["AwaitingReturns", 30_000, { run: "CompleteIfDelayOver" }],
  ["Settling", 10_000, { resend: "SettleHold" }],
  ["ReleasingAsFailed", 10_000, { resend: "ReleaseHold" }],
  ["ReleasingAsReturned", 10_000, { resend: "ReleaseHold" }],
  ["ReleasingAsCancelled", 10_000, { resend: "ReleaseHold" }],
  ["PostingLateReturn", 10_000, { resend: "PostLateReturn" }],
];
const atRest: Phase[] = ["Draft", "Completed", "Failed", "Returned", "Cancelled"];
const now = new Date("2026-03-04T17:00:00.000Z");
const book = aBookContext({ now });
const rtp = { terms: { rail: "Rtp" } } as const;
const later = (than: Date, byMs: number) => new Date(than.getTime() + byMs);

describe("a phase that waits for another service", () => {
  it.each(timeouts)("%s times out after %i ms: %j", (phase, afterMs, action) => {
    expect(phaseTimeouts[phase]?.action).toEqual(action);
    expect(dueAfter(anOrderIn(phase, rtp), 0, book)).toEqual({
      dueAt: later(now, afterMs),
      dueAtInBook: null,
    });
  });

  it("is every phase except those that wait for a person or are final", () => {
    expect([...timeouts.map(([phase]) => phase), ...atRest].sort()).toEqual(Object.keys(lifecycle).sort());
    for (const phase of atRest)
      expect([phaseTimeouts[phase], dueAfter(anOrderIn(phase), 0, book)]).toEqual([
        null,
        { dueAt: null, dueAtInBook: null },
      ]);
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
  expect(dueAfter(anOrderIn("HandingOff"), count, book).dueAt).toEqual(later(now, waitMs));
});

describe("in a book that is a month ahead, a phase", () => {
  const ahead = new Date("2026-04-04T17:00:00.000Z");
  const inBook = aBookContext({ now: ahead, realNow: now, hasOwnClock: true });

  it.each(["HandingOff", "InFlight"] as const)("%s waits for its rail in the time of the book", (phase) => {
    const { dueAt, dueAtInBook } = dueAfter(anOrderIn(phase), 0, inBook);
    expect(dueAt).toBeNull();
    expect(dueAtInBook!.getTime()).toBeGreaterThan(ahead.getTime());
  });

  it.each(["ReservingFunds", "Settling", "ReleasingAsFailed", "PostingLateReturn"] as const)(
    "%s waits for the ledger in real time",
    (phase) => {
      expect(dueAfter(anOrderIn(phase), 0, inBook)).toEqual({ dueAt: later(now, 10_000), dueAtInBook: null });
    },
  );
});

describe("a rail that is silent about an accepted payment is asked", () => {
  /** From a Wednesday, 12:00 in New York, on: how long until each question. */
  const waits = (rail: Rail, clock: ClockMode = "Real", terms: Partial<OrderTerms> = {}) =>
    [0, 1, 2, 9].map((count) => {
      const { dueAt } = dueAfter(
        anOrderIn("InFlight", { terms: { rail, ...terms } }),
        count,
        aBookContext({ now, clock }),
      );
      return (dueAt!.getTime() - now.getTime()) / 60_000;
    });
  const days = (count: number) => count * 24 * 60;

  it("about Ach two hours after the settlement on Thursday at 8:30, then daily", () => {
    expect(waits("Ach")).toEqual([22.5 * 60, days(1), days(1), days(1)]);
  });

  it("about SameDayAch two hours after the settlement at 17:00, then daily", () => {
    expect(waits("SameDayAch")).toEqual([7 * 60, days(1), days(1), days(1)]);
  });

  it.each<[Rail, number[]]>([
    ["Rtp", [1 / 3, 2 / 3, 4 / 3, 60]],
    ["Wire", [30, 60, 60, 60]],
    ["Usdc", [32, 60, 60, 60]],
  ])("about %s after %j minutes, later and later up to an hour", (rail, minutes) => {
    expect(waits(rail)).toEqual(minutes);
  });

  it.each([
    ["polygon", [16 / 60, 32 / 60, 64 / 60, 60]],
    ["solana", [16 / 60, 32 / 60, 64 / 60, 60]],
    ["ethereum", [32, 60, 60, 60]],
  ])("about Usdc on %s after twice its finality: %j minutes", (counterpartyRoutingNumber, minutes) => {
    expect(waits("Usdc", "Real", { counterpartyRoutingNumber })).toEqual(minutes);
  });

  it("about Ach in an Instant book, where it settles at once, after two hours", () => {
    expect(waits("Ach", "Instant")).toEqual([120, days(1), days(1), days(1)]);
  });
});
