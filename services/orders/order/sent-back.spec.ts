import { describe, expect, it } from "vitest";
import { idOf } from "../../../contracts/ids/ids.ts";
import { aBookContext, anOrderIn, OrderOnTest } from "../../../test/stack/orders/payment-order.ts";
import type { PaymentOrder, Phase } from "./payment-order.ts";
import { withSentBack } from "./sent-back.ts";

const sentBackBy = idOf("ip", "019c0000-0000-7000-8000-0000000000c1");
const failure = { code: "AC04", message: "Closed account" };
const returned = {
  id: idOf("ret", "019c0000-0000-7000-8000-0000000000b1"),
  code: "R02",
  reason: "AccountClosed",
  traceNumber: "7",
  receivedAt: "2026-03-04T18:00:00.000Z",
};

/** A wire that its rail has accepted, and whose receiver has sent the money back before its settlement was reported. */
const sentBack = (phase: Phase = "InFlight") =>
  new OrderOnTest(
    anOrderIn(phase, { terms: { rail: "Wire" }, progress: { rail: { eventNumber: 1, sentBackBy } } }),
  );

describe("a payment whose money its receiver has sent back", () => {
  describe.each<Phase>(["HandingOff", "InFlight"])("in %s", (phase) => {
    it("still has its hold after the bank reports a failure, and settles when the bank does", () => {
      const payment = sentBack(phase);
      expect(payment.receive("InstructionFailed", { number: 2, failure })).toBe("PaidAfterAll");
      expect(payment.order).toMatchObject({ phase, progress: { applied: [], ending: { failure: null } } });
      expect(payment.commands).toEqual([]);
      expect(payment.receive("InstructionSettled", { number: 3 })).toBe("Applied");
      expect(payment.order.phase).toBe("Settling");
      expect(payment.commands).toEqual(["SettleHold"]);
      expect(payment.receive("HoldSettled")).toBe("Applied");
      expect(payment.order).toMatchObject({ status: "Completed", progress: { ending: { failure: null } } });
      expect(payment.order.progress.rail.unexpectedMovements).toEqual([]);
    });

    it("still has its hold after the bank reports a return before the settlement", () => {
      const payment = sentBack(phase);
      expect(payment.receive("InstructionReturned", { number: 2, return: returned })).toBe("PaidAfterAll");
      expect(payment.order).toMatchObject({ phase, progress: { rail: { return: null } } });
      expect(payment.commands).toEqual([]);
      payment.receive("InstructionSettled", { number: 3 });
      expect(payment.commands).toEqual(["SettleHold"]);
    });
  });

  it("is parked for a person once, however often its rail repeats the event", () => {
    const payment = sentBack();
    payment.receive("InstructionFailed", { number: 2, failure });
    const after = payment.order;
    expect(payment.receive("InstructionFailed", { number: 2, failure })).toBe("Ignored");
    expect(payment.receive("InstructionAccepted", { number: 1 })).toBe("Ignored");
    expect(payment.order).toBe(after);
  });

  it("is not submitted again if its rail does not know it", () => {
    const payment = sentBack("HandingOff");
    expect(payment.receive("InstructionUnknown")).toBe("Ignored");
    expect(payment.commands).toEqual([]);
  });

  it("is returned as usual once it has settled", () => {
    const ach = new OrderOnTest(
      anOrderIn("AwaitingReturns", { progress: { rail: { eventNumber: 2, sentBackBy } } }),
    );
    expect(ach.receive("InstructionReturned", { number: 3, return: returned })).toBe("Applied");
    expect(ach.commands).toEqual(["ReleaseHold"]);
  });
});

it("a payment that failed releases its hold if nothing was sent back", () => {
  const payment = new OrderOnTest(anOrderIn("InFlight", { progress: { rail: { eventNumber: 1 } } }));
  expect(payment.receive("InstructionFailed", { number: 2, failure })).toBe("Applied");
  expect(payment.commands).toEqual(["ReleaseHold"]);
});

describe("an order that learns of the payment", () => {
  const payment = { inboundPaymentId: sentBackBy, isHoldKept: true };
  const later = aBookContext({ now: new Date("2026-03-04T18:30:00.000Z") });
  const learns = (order: PaymentOrder, change: Partial<typeof payment> = {}) =>
    withSentBack(order, { ...payment, ...change }, later);
  const wire = { terms: { rail: "Wire" } } as const;
  /** A wire after that event of its rail, if any. */
  function after(event?: "InstructionFailed" | "InstructionReturned") {
    const order = new OrderOnTest(anOrderIn("InFlight", { ...wire, progress: { rail: { eventNumber: 1 } } }));
    if (event !== undefined) order.receive(event, { number: 2, failure, return: returned });
    return order.order;
  }

  it.each<Phase>(["InFlight", "Settling", "Completed", "Failed", "PostingLateReturn"])(
    "in %s shows it, and changes nothing else",
    (phase) => {
      const order = anOrderIn(phase, wire);
      const { rail } = order.progress;
      expect(learns(order)).toEqual({
        ...order,
        updatedAt: later.realNow,
        progress: { ...order.progress, rail: { ...rail, sentBackBy } },
      });
    },
  );

  it("shows the first of several", () => {
    const order = learns(after());
    const second = idOf("ip", "019c0000-0000-7000-8000-0000000000c2");
    expect(learns(order, { inboundPaymentId: second })).toBe(order);
  });

  it.each([
    ["failed", "InstructionFailed"],
    ["was returned before it settled", "InstructionReturned"],
  ] as const)(
    "goes back to its rail if it was releasing its hold because it %s, and settles when the bank does",
    (_, event) => {
      const order = after(event);
      expect(order.phase).toMatch(/^Releasing/);
      const back = new OrderOnTest(learns(order));
      expect(back.order).toMatchObject({
        phase: "InFlight",
        status: "Processing",
        progress: { applied: [], ending: { failure: null }, rail: { return: null, sentBackBy } },
      });
      expect(back.order.progress.ledger.sentAt).toEqual({});
      // A wire's silence is half an hour.
      expect(back.order.dueAt).toEqual(new Date("2026-03-04T19:00:00.000Z"));
      // The rail repeats what it said, then reports the opposite.
      expect(back.receive(event, { number: 2, failure, return: returned })).toBe("Ignored");
      expect(back.receive("InstructionSettled", { number: 3 })).toBe("Applied");
      expect(back.commands).toEqual(["SettleHold"]);
    },
  );

  it("waits for the ledger with the release of its hold, and goes back to its rail if the ledger keeps the hold", () => {
    const shown = learns(after("InstructionFailed"), { isHoldKept: false });
    expect(shown).toMatchObject({ phase: "ReleasingAsFailed", progress: { rail: { sentBackBy } } });
    expect(learns(shown)).toMatchObject({ phase: "InFlight", progress: { rail: { sentBackBy } } });
  });

  it("is not returned late once it has completed: a repeat is ignored, and another return goes to Suspense", () => {
    const back = new OrderOnTest(learns(after("InstructionReturned")));
    back.receive("InstructionSettled", { number: 3 });
    back.receive("HoldSettled");
    expect(back.order.phase).toBe("Completed");
    expect(back.receive("InstructionReturned", { number: 2, return: returned })).toBe("Ignored");
    expect(back.receive("InstructionReturned", { number: 4, return: returned })).toBe("UnexpectedMovement");
    expect(back.receive("InstructionReturned", { number: 4, return: returned })).toBe("Ignored");
    expect(back.order).toMatchObject({
      phase: "Completed",
      progress: { rail: { return: null, unexpectedMovements: [{ movement: "Return", returnCode: "R02" }] } },
    });
    expect(back.commands.at(-1)).toBe("PostToSuspense");
  });

  it("continues to release its hold if the bank returned what had settled", () => {
    const ach = new OrderOnTest(anOrderIn("InFlight", { progress: { rail: { eventNumber: 1 } } }));
    ach.receive("InstructionSettled", { number: 2 });
    ach.receive("InstructionReturned", { number: 3, return: returned });
    expect(learns(ach.order).phase).toBe("ReleasingAsReturned");
  });
});
