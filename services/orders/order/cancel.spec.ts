import { describe, expect, it } from "vitest";
import { anOrderIn, aBookContext, OrderOnTest, noon } from "../../../test/stack/orders/payment-order.ts";
import { cancelOrDeny, evaluateGate } from "./transition.ts";
import type { Phase } from "./payment-order.ts";

describe("cancel", () => {
  const cancelled = (phase: Phase) => {
    const payment = new OrderOnTest(anOrderIn(phase));
    payment.take((order) =>
      cancelOrDeny(order, "Cancel", aBookContext(), { actor: "maker", reason: "RequestedByTenant" }),
    );
    return payment;
  };

  it("cancels a Draft at once", () => {
    const { order, history, commands } = cancelled("Draft");
    expect([order.status, commands]).toEqual(["Cancelled", []]);
    expect(history).toEqual([
      { position: 1, from: "Draft", to: "Cancelled", at: noon, actor: "maker", reason: "RequestedByTenant" },
    ]);
  });

  it.each<Phase>(["AwaitingApproval", "AwaitingWindow"])("in %s releases the hold first", (phase) => {
    const payment = cancelled(phase);
    expect(payment.order).toMatchObject({ phase: "ReleasingAsCancelled", status: "Pending" });
    expect([payment.commands, payment.events]).toEqual([["ReleaseHold"], []]);
    payment.receive("HoldReleased");
    expect(payment.order.status).toBe("Cancelled");
  });

  it("names who cancelled in the history, although the ledger's event ends the order", () => {
    const payment = cancelled("AwaitingApproval");
    payment.receive("HoldReleased");
    expect(payment.history.at(-1)).toMatchObject({
      from: "Pending",
      to: "Cancelled",
      actor: "maker",
      reason: "RequestedByTenant",
    });
  });

  it("before the hold waits for the ledger, and releases a hold that it placed", () => {
    const payment = cancelled("ReservingFunds");
    expect(payment.order).toMatchObject({ phase: "CancellingBeforeHold", status: "Submitted" });
    expect(payment.receive("HoldPlaced")).toBe("Applied");
    expect(payment.order).toMatchObject({ phase: "ReleasingAsCancelled", status: "Submitted" });
    expect(payment.commands).toEqual(["ReleaseHold"]);
    payment.receive("HoldReleased");
    expect(payment.history.map(({ from, to }) => [from, to])).toEqual([["Submitted", "Cancelled"]]);
  });

  it("before the hold is complete if the ledger refuses the hold: nothing has to be released", () => {
    const payment = cancelled("ReservingFunds");
    payment.receive("HoldRefused");
    expect([payment.order.status, payment.commands]).toEqual(["Cancelled", []]);
  });
});

describe("an approval that never came", () => {
  it("cancels the order with the reason ApprovalExpired", () => {
    const payment = new OrderOnTest(
      anOrderIn("AwaitingApproval", {
        progress: { approvals: { required: 2 }, timers: { pendingSince: "2026-03-01T17:00:00.000Z" } },
      }),
    );
    payment.take((order) => evaluateGate(order, aBookContext()));
    expect(payment.order).toMatchObject({
      phase: "ReleasingAsCancelled",
      progress: { ending: { cancelReason: "ApprovalExpired" } },
    });
    expect(payment.commands).toEqual(["ReleaseHold"]);
  });
});
