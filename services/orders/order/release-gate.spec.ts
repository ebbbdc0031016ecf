import { describe, expect, it } from "vitest";
import { anOrderIn, aWorld } from "../../../test/stack/payment-order.ts";
import { begin, passGate } from "./transition.ts";
import { defaultApprovalPolicy } from "./approval-policy.ts";
import { OrderTampered, returnWindowIsOver, tryGate } from "./release-gate.ts";
import type { Approval, FrozenFields } from "./payment-order.ts";

const at = (text: string) => new Date(text);
const approvedAt = (time: string, ...principals: string[]): Approval[] =>
  principals.map((principal) => ({ principal, at: time }));

describe("the gate", () => {
  it("opens for an order that needs no approval while its window is open", () => {
    // Wednesday before noon in New York: this day's cutoff, and settlement on the next banking day.
    expect(tryGate(anOrderIn("AwaitingApproval"), aWorld())).toEqual({
      trigger: "GateOpened",
      progress: {
        cutoff: {
          missed: false,
          cutoffAt: "2026-03-04T21:45:00.000Z",
          nextWindowOpensAt: null,
          reason: null,
        },
        expectedSettlementDate: "2026-03-05",
      },
    });
  });

  it("stays shut until the last approval is there", () => {
    const waiting = (approvals: Approval[]) =>
      tryGate(
        anOrderIn("AwaitingApproval", {
          frozen: { rail: "Wire" },
          progress: { approvalsRequired: 2, approvals },
        }),
        aWorld(),
      ).trigger;
    expect(waiting([])).toBeNull();
    expect(waiting(approvedAt("2026-03-04T16:00:00.000Z", "ann"))).toBeNull();
    expect(waiting(approvedAt("2026-03-04T16:00:00.000Z", "ann", "ben"))).toBe("GateOpened");
  });

  it("keeps a suspended tenant's money where it is", () => {
    expect(tryGate(anOrderIn("AwaitingApproval"), aWorld({ tenantActive: false })).trigger).toBeNull();
    expect(tryGate(anOrderIn("AwaitingWindow"), aWorld({ tenantActive: false })).trigger).toBeNull();
  });

  const tampered: Partial<FrozenFields>[] = [
    { amountCents: 999_999 },
    { counterpartyAccount: { keyId: "k1", ciphertext: "b3RoZXI=", last4: "6789" } },
    { counterpartyRoutingNumber: "021000089" },
    { metadata: { note: "later" } },
  ];
  it.each(tampered)("throws for an order that was changed behind its approvals: %j", (change) => {
    const order = anOrderIn("AwaitingApproval");
    const changed = { ...order, frozen: { ...order.frozen, ...change } };
    expect(() => tryGate(changed, aWorld())).toThrow(OrderTampered);
  });

  it("throws for a figure that is not Actual, whatever its hash says", () => {
    const demo = anOrderIn("AwaitingApproval", { frozen: { basis: "Demo" } });
    expect(() => tryGate(demo, aWorld())).toThrow(OrderTampered);
  });
});

describe("a policy that was changed meanwhile", () => {
  const strict = { ...defaultApprovalPolicy, requireApprovalForAll: true };

  it("counts when it was raised", () => {
    const answer = tryGate(anOrderIn("AwaitingApproval"), aWorld({ policy: strict }));
    expect(answer).toEqual({
      trigger: null,
      progress: { approvalsRequired: 1, makersMayApprove: false, raisedAt: "2026-03-04T17:00:00.000Z" },
    });
  });

  it("sends an order that waits for its window back to its approvers, its approvals kept", () => {
    const approvals = approvedAt("2026-03-04T16:00:00.000Z", "ann");
    const dual = { ...defaultApprovalPolicy, dualApprovalThresholdCents: 100 };
    const advance = begin(anOrderIn("AwaitingWindow", { progress: { approvalsRequired: 1, approvals } }));
    passGate(advance, aWorld({ policy: dual }));
    expect(advance.order).toMatchObject({
      phase: "AwaitingApproval",
      progress: { approvalsRequired: 2, approvals },
    });
  });

  it("gives the approvers of an order that goes back the full time again", () => {
    const advance = begin(
      anOrderIn("AwaitingWindow", { progress: { pendingSince: "2026-02-20T15:00:00.000Z" } }),
    );
    passGate(advance, aWorld({ policy: strict }));
    expect(advance.order.phase).toBe("AwaitingApproval");
    const ask = (now: string) => tryGate(advance.order, aWorld({ policy: strict, now: at(now) })).trigger;
    expect(ask("2026-03-07T16:59:59.999Z")).toBeNull();
    expect(ask("2026-03-07T17:00:00.000Z")).toBe("ApprovalExpired");
  });

  it("no longer counts a maker's approval once it forbids it", () => {
    const approvals = approvedAt("2026-03-04T16:00:00.000Z", "maker");
    const order = anOrderIn("AwaitingWindow", {
      progress: { approvalsRequired: 1, makersMayApprove: true, approvals },
    });
    const lax = { ...defaultApprovalPolicy, allowSelfApproval: true };
    expect(tryGate(order, aWorld({ policy: lax })).trigger).toBe("GateOpened");
    expect(tryGate(order, aWorld()).trigger).toBe("GateNeedsApproval");
  });

  it("never counts when it was lowered", () => {
    const order = anOrderIn("AwaitingApproval", { progress: { approvalsRequired: 2 } });
    expect(tryGate(order, aWorld()).trigger).toBeNull();
  });
});

describe("approvals that don't come", () => {
  const pending = anOrderIn("AwaitingApproval", {
    progress: { approvalsRequired: 1, pendingSince: "2026-03-02T15:00:00.000Z" },
  });

  it("expire after 72 hours, not before", () => {
    const ask = (now: string) => tryGate(pending, aWorld({ now: at(now) })).trigger;
    expect(ask("2026-03-05T14:59:59.999Z")).toBeNull();
    expect(ask("2026-03-05T15:00:00.000Z")).toBe("ApprovalExpired");
  });

  it("never expire once they were given: the order only waits for its window", () => {
    const approvals = approvedAt("2026-03-02T16:00:00.000Z", "ann");
    const order = { ...pending, progress: { ...pending.progress, approvals } };
    expect(tryGate(order, aWorld({ now: at("2026-03-07T15:00:00.000Z") })).trigger).toBe("GateNeedsWindow");
  });
});

describe("a rail's window", () => {
  // Fridays and Mondays around 2026-03-08, when New York's clocks go forward.
  it.each([
    ["AfterCutoff", "2026-03-06T22:00:00.000Z", "2026-03-06T21:45:00.000Z", "2026-03-09T04:00:00.000Z"],
    ["Weekend", "2026-03-07T17:00:00.000Z", "2026-03-06T21:45:00.000Z", "2026-03-09T04:00:00.000Z"],
    ["Holiday", "2026-05-25T17:00:00.000Z", "2026-05-22T20:45:00.000Z", "2026-05-26T04:00:00.000Z"],
  ])("that is closed (%s) makes the order wait, and says why", (reason, now, cutoffAt, opens) => {
    const advance = begin(anOrderIn("AwaitingApproval"));
    passGate(advance, aWorld({ now: at(now) }));
    expect(advance.order).toMatchObject({
      phase: "AwaitingWindow",
      status: "Pending",
      progress: { cutoff: { missed: true, cutoffAt, nextWindowOpensAt: opens, reason } },
    });
    expect(advance.commands).toEqual([]);
    passGate(advance, aWorld({ now: at(opens) }));
    expect(advance.order.phase).toBe("HandingOff");
  });

  it("that closed over a missing approval says ApprovedLate", () => {
    const late = anOrderIn("AwaitingApproval", {
      frozen: { rail: "Wire" },
      progress: {
        approvalsRequired: 2,
        approvals: approvedAt("2026-03-04T22:05:00.000Z", "ann", "ben"),
        pendingSince: "2026-03-04T15:00:00.000Z",
      },
    });
    expect(tryGate(late, aWorld({ now: at("2026-03-04T22:05:00.000Z") }))).toEqual({
      trigger: "GateNeedsWindow",
      progress: {
        cutoff: {
          missed: true,
          cutoffAt: "2026-03-04T22:00:00.000Z",
          nextWindowOpensAt: "2026-03-05T02:00:00.000Z",
          reason: "ApprovedLate",
        },
      },
    });
  });

  it("is none for RTP on Christmas Day, nor for any rail of an Instant book", () => {
    const christmas = at("2026-12-25T15:00:00.000Z");
    const rtp = anOrderIn("AwaitingApproval", { frozen: { rail: "Rtp" } });
    expect(tryGate(rtp, aWorld({ now: christmas })).trigger).toBe("GateOpened");
    expect(tryGate(anOrderIn("AwaitingApproval"), aWorld({ now: christmas, clock: "Instant" })).trigger).toBe(
      "GateOpened",
    );
  });

  it("keeps an order that waits for it where it is while it is closed", () => {
    const answer = tryGate(anOrderIn("AwaitingWindow"), aWorld({ now: at("2026-03-07T17:00:00.000Z") }));
    expect(answer.trigger).toBeNull();
  });
});

describe("the effective date", () => {
  const dated = (phase: "AwaitingApproval" | "AwaitingWindow", effectiveDate: string) =>
    tryGate(anOrderIn(phase, { frozen: { effectiveDate } }), aWorld({ now: at("2026-03-05T03:30:00.000Z") }))
      .trigger;

  it("keeps an order back until it has begun in New York", () => {
    // 22:30 on Wednesday the 4th in New York, the 5th already in UTC.
    expect(dated("AwaitingApproval", "2026-03-05")).toBe("GateNeedsWindow");
    expect(dated("AwaitingWindow", "2026-03-05")).toBeNull();
  });

  it("keeps it back in an Instant book too, whose windows stand open", () => {
    const order = anOrderIn("AwaitingApproval", { frozen: { rail: "Rtp", effectiveDate: "2026-03-05" } });
    expect(tryGate(order, aWorld({ clock: "Instant" })).trigger).toBe("GateNeedsWindow");
    const thatDay = aWorld({ clock: "Instant", now: at("2026-03-05T05:00:00.000Z") });
    expect(tryGate({ ...order, phase: "AwaitingWindow" }, thatDay).trigger).toBe("GateOpened");
  });
});

describe("the return window of an ACH settlement", () => {
  const over = (settledAt: string | null, now: string, days = 2) =>
    returnWindowIsOver(
      anOrderIn("AwaitingReturns", { progress: { settledAt } }),
      aWorld({ now: at(now), completesAfterBankingDays: days }),
    );

  it("ends with the second banking day after it", () => {
    expect(over("2026-03-04T13:30:00.000Z", "2026-03-07T04:59:59.000Z")).toBe(false); // Friday, 23:59 in New York
    expect(over("2026-03-04T13:30:00.000Z", "2026-03-07T05:00:00.000Z")).toBe(true);
  });

  it("counts neither weekends nor holidays", () => {
    expect(over("2026-05-22T13:30:00.000Z", "2026-05-27T16:00:00.000Z")).toBe(false); // Friday before Memorial Day
    expect(over("2026-05-22T13:30:00.000Z", "2026-05-28T16:00:00.000Z")).toBe(true);
  });

  it("ends with the day itself where the book waits for none", () => {
    expect(over("2026-03-04T13:30:00.000Z", "2026-03-04T23:00:00.000Z", 0)).toBe(false);
    expect(over("2026-03-04T13:30:00.000Z", "2026-03-05T14:00:00.000Z", 0)).toBe(true);
  });

  it("is never over before the settlement", () => {
    expect(over(null, "2026-03-20T16:00:00.000Z")).toBe(false);
  });

  it("is over at once in an Instant book", () => {
    expect(returnWindowIsOver(anOrderIn("AwaitingReturns"), aWorld({ clock: "Instant" }))).toBe(true);
  });
});
