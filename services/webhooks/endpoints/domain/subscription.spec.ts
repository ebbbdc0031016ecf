import { describe, expect, it } from "vitest";
import { defaultEventTypes } from "../../../../contracts/http/webhooks/webhooks.ts";
import { isSubscribed } from "./subscription.ts";

describe("a subscription", () => {
  it("defaults to the seven documented types", () => {
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

  it("includes later types only if the endpoint names them", () => {
    expect(isSubscribed(defaultEventTypes, "payment_order.processing")).toBe(false);
    expect(isSubscribed(["payment_order.processing"], "payment_order.processing")).toBe(true);
  });

  it("includes every type with an asterisk", () => {
    expect(isSubscribed(["*"], "payment_order.submitted")).toBe(true);
  });
});
