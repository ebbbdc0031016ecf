import { describe, expect, it } from "vitest";
import { anOrderIn, aBookContext, noon } from "../../../test/stack/payment-order.ts";
import { start, abort, evaluateGate, applyEvent } from "./transition.ts";
import type { Phase } from "./payment-order.ts";

describe("cancel", () => {
  const cancelled = (phase: Phase) => {
    const advance = start(anOrderIn(phase));
    abort(advance, "Cancel", aBookContext(), { actor: "maker", reason: "RequestedByTenant" });
    return advance;
  };

  it("of a Draft is at once", () => {
    const { order, history, commands } = cancelled("Draft");
    expect([order.status, commands]).toEqual(["Cancelled", []]);
    expect(history).toEqual([
      { position: 1, from: "Draft", to: "Cancelled", at: noon, actor: "maker", reason: "RequestedByTenant" },
    ]);
  });

  it.each<Phase>(["AwaitingApproval", "AwaitingWindow"])("in %s gives the hold back first", (phase) => {
    const advance = cancelled(phase);
    expect(advance.order).toMatchObject({ phase: "ReleasingAsCancelled", status: "Pending" });
    expect([advance.commands, advance.events]).toEqual([["ReleaseHold"], []]);
    applyEvent(advance, { trigger: "HoldReleased", detail: {} }, aBookContext());
    expect(advance.order.status).toBe("Cancelled");
  });

  it("is told by the name of who cancelled, though the ledger's word ends it", () => {
    const advance = cancelled("AwaitingApproval");
    applyEvent(advance, { trigger: "HoldReleased", detail: {} }, aBookContext());
    expect(advance.history.at(-1)).toMatchObject({
      from: "Pending",
      to: "Cancelled",
      actor: "maker",
      reason: "RequestedByTenant",
    });
  });

  it("before the hold waits for the ledger's word, and gives back what it did place", () => {
    const advance = cancelled("ReservingFunds");
    expect(advance.order).toMatchObject({ phase: "CancellingBeforeHold", status: "Submitted" });
    expect(applyEvent(advance, { trigger: "HoldPlaced", detail: {} }, aBookContext())).toBe("Applied");
    expect(advance.order).toMatchObject({ phase: "ReleasingAsCancelled", status: "Submitted" });
    expect(advance.commands).toEqual(["ReleaseHold"]);
    applyEvent(advance, { trigger: "HoldReleased", detail: {} }, aBookContext());
    expect(advance.history.map(({ from, to }) => [from, to])).toEqual([["Submitted", "Cancelled"]]);
  });

  it("before a hold that the ledger refuses is done with that refusal", () => {
    const advance = cancelled("ReservingFunds");
    applyEvent(advance, { trigger: "HoldRefused", detail: {} }, aBookContext());
    expect([advance.order.status, advance.commands]).toEqual(["Cancelled", []]);
  });
});

describe("an approval that never came", () => {
  it("cancels the order by its name", () => {
    const advance = start(
      anOrderIn("AwaitingApproval", {
        progress: { approvalsRequired: 2, pendingSince: "2026-03-01T17:00:00.000Z" },
      }),
    );
    evaluateGate(advance, aBookContext());
    expect(advance.order).toMatchObject({
      phase: "ReleasingAsCancelled",
      progress: { cancelReason: "ApprovalExpired" },
    });
    expect(advance.commands).toEqual(["ReleaseHold"]);
  });
});
