import { describe, expect, it } from "vitest";
import { defaultEventTypes, isSubscribed } from "./subscription.ts";

describe("what an endpoint is told", () => {
  it("by default the seven documented types", () => {
    expect(defaultEventTypes).toEqual([
      "payment_order.pending",
      "payment_order.completed",
      "payment_order.failed",
      "payment_order.returned",
      "payment_order.cancelled",
      "fuel_tax.remittance_cleared",
      "fuel_tax.remittance_returned",
    ]);
    expect(isSubscribed(defaultEventTypes, "payment_order.completed")).toBe(true);
  });

  it("additive types only when it asks", () => {
    expect(isSubscribed(defaultEventTypes, "payment_order.processing")).toBe(false);
    expect(isSubscribed(["payment_order.processing"], "payment_order.processing")).toBe(true);
  });

  it("everything with the asterisk", () => {
    expect(isSubscribed(["*"], "payment_order.submitted")).toBe(true);
  });
});
