import { describe, expect, it } from "vitest";
import { idOf } from "../../../contracts/ids/ids.ts";
import { anOrderIn, OrderOnTest } from "../../../test/stack/orders/payment-order.ts";
import type { Phase } from "./payment-order.ts";

const aReturn = (code: string, traceNumber: string) => ({
  id: idOf("ret", "019c0000-0000-7000-8000-0000000000b1"),
  code,
  reason: "AccountClosed",
  traceNumber,
  receivedAt: "2026-03-04T18:00:00.000Z",
});

const settles = (payment: OrderOnTest, number = 3) => payment.receive("InstructionSettled", { number });
const comesBack = (payment: OrderOnTest, number: number, code: string, trace: string) =>
  payment.receive("InstructionReturned", { number, return: aReturn(code, trace) });

/** An order that its rail refused with its second event. */
const refused = (phase: Phase = "Failed") =>
  new OrderOnTest(
    anOrderIn(phase, { sequence: 4, progress: { applied: ["InstructionFailed"], rail: { eventNumber: 2 } } }),
  );
/** An order that its bank returned with its second event. */
const returned = (phase: Phase = "Returned") =>
  new OrderOnTest(
    anOrderIn(phase, {
      progress: {
        applied: ["InstructionReturned"],
        rail: { eventNumber: 2, return: { ...aReturn("R02", "7"), late: false } },
      },
    }),
  );
const movements = (payment: OrderOnTest) =>
  payment.order.progress.rail.unexpectedMovements.map(({ movement, returnCode }) => [movement, returnCode]);

describe("an order that settles after it failed", () => {
  it("does not change; the money goes to Suspense", () => {
    const payment = refused();
    const before = payment.order;
    expect(settles(payment)).toBe("UnexpectedMovement");
    expect(payment.order).toMatchObject({ phase: "Failed", status: before.status, sequence: 4 });
    expect([payment.history, payment.events, payment.commands]).toEqual([[], [], ["PostToSuspense"]]);
    expect(payment.order.progress.rail.unexpectedMovements).toEqual([
      {
        movement: "Settlement",
        returnCode: null,
        // UUIDv5 of the order and `suspense/settlement`: the same however often it is reported.
        commandId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5/),
        ledgerTransactionId: expect.stringMatching(/^lt_/),
        at: "2026-03-04T17:00:00.000Z",
      },
    ]);
  });

  it("waits for the ledger's answer while the hold is being released: the ledger may keep it", () => {
    const payment = refused("ReleasingAsFailed");
    expect(settles(payment)).toBe("OutOfOrder");
    expect(comesBack(payment, 4, "R02", "7")).toBe("OutOfOrder");
    payment.receive("HoldReleased");
    expect([settles(payment), comesBack(payment, 4, "R02", "7")]).toEqual([
      "UnexpectedMovement",
      "UnexpectedMovement",
    ]);
  });

  it("records the movement once: the same event again changes nothing", () => {
    const payment = refused();
    settles(payment);
    const after = payment.order;
    expect(settles(payment, 3)).toBe("Ignored");
    expect(settles(payment, 9)).toBe("Ignored");
    expect(payment.order).toBe(after);
    expect(payment.commands).toEqual(["PostToSuspense"]);
  });

  it("can be returned then: each return is a movement of its own", () => {
    const payment = refused();
    expect(comesBack(payment, 3, "R02", "7")).toBe("Parked");
    settles(payment);
    expect(comesBack(payment, 4, "R02", "7")).toBe("UnexpectedMovement");
    expect(comesBack(payment, 4, "R02", "7")).toBe("Ignored");
    expect(comesBack(payment, 5, "R03", "8")).toBe("UnexpectedMovement");
    expect(movements(payment)).toEqual([
      ["Settlement", null],
      ["Return", "R02"],
      ["Return", "R03"],
    ]);
    const ids = payment.order.progress.rail.unexpectedMovements.map(({ commandId }) => commandId);
    expect(new Set(ids).size).toBe(3);
  });
});

describe("an order that was returned", () => {
  it.each<Phase>(["Returned", "PostingLateReturn", "Completed"])(
    "and is returned again does not change in %s; the money goes to Suspense",
    (phase) => {
      const payment = returned(phase);
      expect(comesBack(payment, 3, "R02", "7")).toBe("Ignored");
      expect(comesBack(payment, 3, "R02", "8")).toBe("UnexpectedMovement");
      expect(payment.order).toMatchObject({ phase, progress: { rail: { return: { traceNumber: "7" } } } });
      expect(movements(payment)).toEqual([["Return", "R02"]]);
    },
  );

  it("before it settled, and is returned again, waits for the ledger's answer: it may keep the hold", () => {
    const payment = returned("ReleasingAsReturned");
    expect(comesBack(payment, 3, "R02", "7")).toBe("Ignored");
    expect(comesBack(payment, 3, "R02", "8")).toBe("OutOfOrder");
  });

  it("and settles afterwards does not change; the money goes to Suspense", () => {
    const payment = returned();
    expect(settles(payment)).toBe("UnexpectedMovement");
    expect(movements(payment)).toEqual([["Settlement", null]]);
  });
});

describe("an event that moves no money", () => {
  it("is ignored if a later event of the rail was applied", () => {
    expect(settles(refused(), 1)).toBe("Ignored");
  });

  it("is parked if the order never was at its rail", () => {
    expect(settles(new OrderOnTest(anOrderIn("Failed")))).toBe("Parked");
    expect(settles(new OrderOnTest(anOrderIn("Cancelled")))).toBe("Parked");
  });

  it("is parked if it is a failure after the order became final", () => {
    const payment = returned();
    expect(payment.receive("InstructionFailed", { number: 3 })).toBe("Parked");
    expect(movements(payment)).toEqual([]);
  });
});
