/** When an order that waits for a known time goes on. */
import { describe, expect, it } from "vitest";
import { anOrderIn, aBookContext, OrderOnTest } from "../../../test/stack/orders/payment-order.ts";
import { defaultApprovalPolicy } from "./approval-policy.ts";
import type { BookContext } from "./book-context.ts";
import { completionDelayEndsAt } from "./hand-off-gate.ts";
import type { PaymentOrder } from "./payment-order.ts";
import { evaluateGate } from "./transition.ts";

describe("the completion delay of an ACH order", () => {
  const endsAt = (settledAt: string | null, days = 2) =>
    completionDelayEndsAt(
      anOrderIn("AwaitingReturns", { progress: { rail: { settledAt } } }),
      aBookContext({ completesAfterBankingDays: days }),
    )?.toISOString() ?? null;

  it("ends at midnight in New York, after the second banking day that follows the settlement", () => {
    // Settled on a Wednesday, so Friday is the second.
    expect(endsAt("2026-03-04T13:30:00.000Z")).toBe("2026-03-07T05:00:00.000Z");
  });

  it("counts from the settlement date, whenever we received the report", () => {
    // Settled on a Tuesday, reported on Thursday: Friday 00:00.
    const order = anOrderIn("AwaitingReturns", {
      progress: { rail: { settledAt: "2026-03-05T17:00:00.000Z", settlementDate: "2026-03-03" } },
    });
    expect(completionDelayEndsAt(order, aBookContext())?.toISOString()).toBe("2026-03-06T05:00:00.000Z");
  });

  it("counts neither weekends nor holidays", () => {
    // Settled on the Friday before Memorial Day.
    expect(endsAt("2026-05-22T13:30:00.000Z")).toBe("2026-05-28T04:00:00.000Z");
  });

  it("ends with the settlement day if the book waits for no days", () => {
    expect(endsAt("2026-03-04T13:30:00.000Z", 0)).toBe("2026-03-05T05:00:00.000Z");
  });

  it("does not begin before the settlement", () => {
    expect(endsAt(null)).toBeNull();
  });

  it("is over at once with the Instant clock", () => {
    const context = aBookContext({ clock: "Instant" });
    expect(completionDelayEndsAt(anOrderIn("AwaitingReturns"), context)).toEqual(context.now);
  });
});

describe("an order that waits is due", () => {
  const evaluated = (order: PaymentOrder, now: string, change: Partial<BookContext> = {}) => {
    const payment = new OrderOnTest(order);
    payment.take((taken) => evaluateGate(taken, aBookContext({ now: new Date(now), ...change })));
    return payment.order;
  };
  const dueAt = (order: PaymentOrder, now: string) => evaluated(order, now).dueAt?.toISOString();

  it("to the second when its rail opens", () => {
    const opensAt = "2026-03-09T04:00:00.000Z";
    expect(dueAt(anOrderIn("AwaitingApproval"), "2026-03-07T17:00:00.000Z")).toBe(opensAt);
    expect(dueAt(anOrderIn("AwaitingWindow"), "2026-03-09T03:59:59.000Z")).toBe(opensAt);
  });

  it("when its effective date begins in New York", () => {
    const order = anOrderIn("AwaitingWindow", { terms: { effectiveDate: "2026-03-12" } });
    expect(dueAt(order, "2026-03-04T17:00:00.000Z")).toBe("2026-03-12T04:00:00.000Z");
  });

  it("at its approval deadline, and within an hour before", () => {
    const pending = anOrderIn("AwaitingApproval", {
      progress: { approvals: { required: 1 }, timers: { pendingSince: "2026-03-02T15:00:00.000Z" } },
    });
    expect(dueAt(pending, "2026-03-04T15:00:00.000Z")).toBe("2026-03-04T16:00:00.000Z");
    expect(dueAt(pending, "2026-03-05T14:30:00.000Z")).toBe("2026-03-05T15:00:00.000Z");
    // Each time before the deadline would be a step of an advance.
    const { dueAtInBook } = evaluated(pending, "2026-03-04T15:00:00.000Z", {
      clock: "Manual",
      hasOwnClock: true,
    });
    expect(dueAtInBook?.toISOString()).toBe("2026-03-05T15:00:00.000Z");
  });

  it("at its approval deadline too when a stricter policy sends it back from its window", () => {
    const manual = {
      clock: "Manual",
      hasOwnClock: true,
      policy: { ...defaultApprovalPolicy, requireApprovalForAll: true },
    } as const;
    const waiting = anOrderIn("AwaitingWindow", {
      progress: { timers: { pendingSince: "2026-03-02T15:00:00.000Z" } },
    });
    const sentBack = evaluated(waiting, "2026-03-07T15:00:00.000Z", manual);
    expect([sentBack.phase, sentBack.dueAt]).toEqual(["AwaitingApproval", null]);
    expect(sentBack.dueAtInBook?.toISOString()).toBe("2026-03-10T15:00:00.000Z");
  });

  it("on its book's clock, if that has one", () => {
    const inBook = { realNow: new Date("2026-01-02T15:00:00.000Z"), hasOwnClock: true };
    const { dueAt: inRealTime, dueAtInBook } = evaluated(
      anOrderIn("AwaitingWindow"),
      "2026-03-09T03:59:59.000Z",
      inBook,
    );
    expect([inRealTime, dueAtInBook?.toISOString()]).toEqual([null, "2026-03-09T04:00:00.000Z"]);
  });

  it("when its phase times out, if its tenant is suspended: nobody knows until when", () => {
    const payment = new OrderOnTest(anOrderIn("AwaitingWindow"));
    const { dueAt: before } = payment.order;
    payment.take((order) => evaluateGate(order, aBookContext({ tenantActive: false })));
    expect(payment.order.dueAt).toEqual(before);
  });
});
