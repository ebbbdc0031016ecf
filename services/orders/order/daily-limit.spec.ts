import { describe, expect, it } from "vitest";
import { anOrderIn, aBookContext, OrderOnTest } from "../../../test/stack/orders/payment-order.ts";
import { transition, cancelOrDeny } from "./transition.ts";
import { type ApprovalPolicy, defaultApprovalPolicy } from "./approval-policy.ts";
import { DailyUsage, limitDateFor } from "./daily-limit.ts";
import type { PaymentOrder } from "./payment-order.ts";

const limited: ApprovalPolicy = { ...defaultApprovalPolicy, dailyLimitCents: 2_000 };
// 23:59:59.999 on the 4th and midnight of the 5th in New York; in UTC both are on the 5th.
const lastSecond = new Date("2026-03-05T04:59:59.999Z");
const midnight = new Date("2026-03-05T05:00:00.000Z");
const on = (now: Date, policy = limited) => aBookContext({ now, policy });

/** An order of 12.50 that counts against the limit of March 4. */
const counted = (phase: PaymentOrder["phase"]) =>
  anOrderIn(phase, { status: "Submitted", progress: { limitDate: "2026-03-04" } });

describe("a daily limit", () => {
  const order = anOrderIn("Draft");
  const { book } = order;

  it("counts by New York date, and is never exceeded", () => {
    const usage = new DailyUsage([[book, 750n]]);
    expect(usage.take(order, on(lastSecond))).toEqual([{ book, day: "2026-03-04", cents: 1_250 }]);
    expect(() => usage.take(order, on(lastSecond))).toThrow(
      expect.objectContaining({ code: "velocity_limit_exceeded" }),
    );
    expect(new DailyUsage([[book, 0n]]).take(order, on(midnight))).toMatchObject([{ day: "2026-03-05" }]);
  });

  it("does not apply to Debits, nor to books without one", () => {
    const debit = anOrderIn("Draft", { terms: { direction: "Debit" } });
    expect(new DailyUsage().take(debit, on(midnight))).toEqual([]);
    expect(new DailyUsage().take(order, on(midnight, defaultApprovalPolicy))).toEqual([]);
  });

  it("is never guessed: without the lock nothing is taken", () => {
    expect(() => new DailyUsage().take(order, on(midnight))).toThrow("was not locked");
  });
});

describe("the date whose limit a submission uses", () => {
  const order = anOrderIn("Draft");

  it("is today in the book, recorded without a limit too, for one that is set later", () => {
    expect(limitDateFor(order, on(lastSecond))).toBe("2026-03-04");
    expect(limitDateFor(order, on(midnight))).toBe("2026-03-05");
    expect(limitDateFor(order, on(midnight, defaultApprovalPolicy))).toBe("2026-03-05");
  });

  it("is none for a Debit", () => {
    expect(limitDateFor(anOrderIn("Draft", { terms: { direction: "Debit" } }), on(midnight))).toBeNull();
  });
});

describe("an order that becomes final", () => {
  it.each([
    { end: "Failed", phase: "ReservingFunds", trigger: "HoldRefused" },
    { end: "Failed", phase: "ReleasingAsFailed", trigger: "HoldReleased" },
    { end: "Returned", phase: "ReleasingAsReturned", trigger: "HoldReleased" },
    { end: "Cancelled", phase: "ReleasingAsCancelled", trigger: "HoldReleased" },
    { end: "Cancelled", phase: "CancellingBeforeHold", trigger: "HoldRefused" },
  ] as const)("as $end after $phase gives its amount back once", ({ end, phase, trigger }) => {
    const order = counted(phase);
    const payment = new OrderOnTest(order);
    payment.take((order) => transition(order, trigger, on(lastSecond), { actor: "ledger" }));
    expect([payment.order.status, payment.order.progress.limitDate]).toEqual([end, null]);
    expect(payment.usage).toEqual([{ book: order.book, day: "2026-03-04", cents: -1_250 }]);
    payment.receive("HoldReleased", {}, on(lastSecond));
    expect(payment.usage).toHaveLength(1);
  });

  it("as Completed gives nothing back, not even after a late return", () => {
    const payment = new OrderOnTest(counted("Settling"));
    payment.take((order) => transition(order, "HoldSettled", on(lastSecond), { actor: "ledger" }));
    payment.take((order) => transition(order, "InstructionReturned", on(lastSecond), { actor: "rail" }));
    payment.take((order) => transition(order, "LateReturnPosted", on(lastSecond), { actor: "ledger" }));
    expect([payment.order.status, payment.usage]).toEqual(["Completed", []]);
    expect(payment.order.progress.limitDate).toBe("2026-03-04");
  });

  it.each([
    { why: "on a later day", context: on(midnight) },
    { why: "if the limit is gone", context: on(lastSecond, defaultApprovalPolicy) },
  ])("gives nothing back $why, and is no longer counted", ({ context }) => {
    const payment = new OrderOnTest(counted("ReservingFunds"));
    payment.take((order) => transition(order, "HoldRefused", context, { actor: "ledger" }));
    expect([payment.usage, payment.order.progress.limitDate]).toEqual([[], null]);
  });

  it("gives back only what it took: nothing for a Draft or an order from before the limit", () => {
    const draft = new OrderOnTest(anOrderIn("Draft"));
    draft.take((order) =>
      cancelOrDeny(order, "Cancel", on(lastSecond), { actor: "maker", reason: "RequestedByTenant" }),
    );
    const older = new OrderOnTest(anOrderIn("ReservingFunds"));
    older.take((order) => transition(order, "HoldRefused", on(lastSecond), { actor: "ledger" }));
    expect([draft.usage, older.usage]).toEqual([[], []]);
  });
});
