import { describe, expect, it } from "vitest";
import { anOrderIn, aBookContext, OrderOnTest } from "../../../test/stack/orders/payment-order.ts";
import type { BookContext } from "./book-context.ts";
import type { PaymentOrder, Phase } from "./payment-order.ts";

/** The rail answers that it does not know the order. */
function answers(order: PaymentOrder, context: BookContext = aBookContext()) {
  const payment = new OrderOnTest(order);
  const reception = payment.receive("InstructionUnknown", {}, context);
  return { reception, payment, order: payment.order };
}

describe("a rail that does not know the order", () => {
  it("is sent the instruction again, every time", () => {
    const once = answers(anOrderIn("HandingOff"));
    const twice = answers(once.order);
    expect([once.order.phase, once.payment.commands]).toEqual(["HandingOff", ["SubmitInstruction"]]);
    expect([twice.reception, twice.payment.commands]).toEqual(["Applied", ["SubmitInstruction"]]);
  });

  it.each<Partial<BookContext>>([{ tenantActive: false }, { bookFrozen: true }])(
    "gets no second instruction while %j, and gets it at the next inquiry afterwards",
    (closed) => {
      const order = anOrderIn("HandingOff");
      const received = answers(order, aBookContext(closed));
      expect([received.reception, received.payment.commands, received.order]).toEqual(["Ignored", [], order]);
      const later = answers(received.order);
      expect(later.payment.commands).toEqual(["SubmitInstruction"]);
    },
  );

  it("gets no second instruction while its window is closed, and is inquired once the window opens", () => {
    const saturday = aBookContext({ now: new Date("2026-03-07T17:00:00.000Z") });
    const { reception, payment } = answers(anOrderIn("HandingOff"), saturday);
    expect([reception, payment.commands]).toEqual(["Ignored", []]);
    const opensAt = new Date("2026-03-09T04:00:00.000Z");
    expect(payment.order).toEqual({ ...anOrderIn("HandingOff"), dueAt: opensAt });
  });

  it("gets it on a later day with the settlement date of that day", () => {
    const monday = aBookContext({ now: new Date("2026-03-09T15:00:00.000Z") });
    const { order } = answers(anOrderIn("HandingOff"), monday);
    expect(order.progress.estimate.expectedSettlementDate).toBe("2026-03-10");
  });

  it("gets it on a Saturday if the book has an Instant clock, whose windows are always open", () => {
    const saturday = aBookContext({ now: new Date("2026-03-07T17:00:00.000Z"), clock: "Instant" });
    const { payment } = answers(anOrderIn("HandingOff"), saturday);
    expect(payment.commands).toEqual(["SubmitInstruction"]);
  });

  it.each<Phase>(["InFlight", "Settling", "Completed", "Failed"])(
    "is ignored in %s, because the rail has reported since",
    (phase) => {
      expect(answers(anOrderIn(phase))).toMatchObject({ reception: "Ignored" });
    },
  );
});
