import { describe, expect, it } from "vitest";
import { anOrderIn, aBookContext, OrderOnTest } from "../../../test/stack/orders/payment-order.ts";
import { idOf } from "../../../contracts/ids/ids.ts";
import type { EventDetail } from "./apply-event.ts";
import { completeIfDelayOver } from "./transition.ts";
import type { BookContext } from "./book-context.ts";
import type { EventTrigger } from "./lifecycle.ts";
import type { PaymentOrder, PaymentReturn, Phase } from "./payment-order.ts";

const transaction = idOf("lt", "019c0000-0000-7000-8000-0000000000e1");
const instant = aBookContext({ clock: "Instant" });

function aReturn(code: string, traceNumber = "021000020000001"): Omit<PaymentReturn, "late"> {
  return {
    id: idOf("ret", "019c0000-0000-7000-8000-0000000000b1"),
    code,
    reason: "AccountClosed",
    traceNumber,
    receivedAt: "2026-03-04T18:00:00.000Z",
  };
}

/** One order receives one event. */
function receive(
  order: PaymentOrder,
  trigger: EventTrigger,
  detail: EventDetail = {},
  context: BookContext = aBookContext(),
) {
  const payment = new OrderOnTest(order);
  const reception = payment.receive(trigger, detail, context);
  return { reception, payment, order: payment.order };
}

describe("an order that goes well", () => {
  const payment = new OrderOnTest(anOrderIn("ReservingFunds", { status: "Submitted", sequence: 1 }));
  const events: [EventTrigger, EventDetail][] = [
    ["HoldPlaced", { ledgerTransactionId: transaction }],
    ["InstructionAccepted", { number: 1, railReference: { traceNumber: "7" } }],
    ["InstructionSettled", { number: 2, railReference: { traceNumber: "7" } }],
    ["HoldSettled", { ledgerTransactionId: transaction }],
  ];
  const receptions = events.map(([trigger, detail]) => payment.receive(trigger, detail, instant));

  it("applies each event in turn", () => {
    expect(receptions).toEqual(["Applied", "Applied", "Applied", "Applied"]);
    expect(payment.order).toMatchObject({ phase: "Completed", status: "Completed", dueAt: null });
    expect(payment.order.progress).toMatchObject({
      ledger: { transactionId: transaction },
      rail: { reference: { traceNumber: "7" }, settledAt: "2026-03-04T17:00:00.000Z", eventNumber: 2 },
    });
  });

  it("skips no status: the hold makes it Pending, and the open gate Processing in the same commit", () => {
    expect(payment.history.map(({ position, from, to, actor }) => [position, from, to, actor])).toEqual([
      [2, "Submitted", "Pending", "ledger"],
      [3, "Pending", "Processing", "system"],
      [4, "Processing", "Completed", "ledger"],
    ]);
  });

  it("publishes every status once, each event with the order as it was then", () => {
    expect(
      payment.events.map((event) => [event.order.sequence, event.previousStatus, event.order.status]),
    ).toEqual([
      [2, "Submitted", "Pending"],
      [3, "Pending", "Processing"],
      [4, "Processing", "Completed"],
    ]);
    expect(payment.order.sequence).toBe(4);
  });

  it("sends each command once", () => {
    expect(payment.commands).toEqual(["SubmitInstruction", "SettleHold"]);
  });
});

describe("a book transfer", () => {
  it("needs no rail: the hand-off settles it, and no instruction is sent", () => {
    const { payment } = receive(
      anOrderIn("ReservingFunds", { terms: { rail: "Book" }, status: "Submitted", sequence: 1 }),
      "HoldPlaced",
    );
    expect(payment.order.phase).toBe("Settling");
    expect(payment.commands).toEqual(["SettleHold"]);
    expect(payment.history.map(({ to }) => to)).toEqual(["Pending", "Processing"]);
    expect(payment.receive("HoldSettled")).toBe("Applied");
    expect(payment.order.status).toBe("Completed");
  });
});

describe("an ACH settlement", () => {
  const settled = receive(anOrderIn("InFlight"), "InstructionSettled", { number: 2 }).order;

  it("waits for its completion delay with its hold open, and is due when that ends", () => {
    expect(settled.phase).toBe("AwaitingReturns");
    expect(settled.dueAt).toEqual(new Date("2026-03-07T05:00:00.000Z"));
  });

  it("settles its hold once the delay is over", () => {
    const payment = new OrderOnTest(settled);
    payment.take((order) =>
      completeIfDelayOver(order, aBookContext({ now: new Date("2026-03-06T23:00:00.000Z") })),
    );
    expect(payment.commands).toEqual([]);
    payment.take((order) =>
      completeIfDelayOver(order, aBookContext({ now: new Date("2026-03-09T14:00:00.000Z") })),
    );
    expect(payment.order.phase).toBe("Settling");
    expect(payment.commands).toEqual(["SettleHold"]);
  });

  it("is undone by a return within the delay, which releases the hold", () => {
    const returned = receive(settled, "InstructionReturned", { number: 3, return: aReturn("R02") });
    expect(returned.order.phase).toBe("ReleasingAsReturned");
    expect(returned.order.progress.rail.return).toEqual({ ...aReturn("R02"), late: false });
    expect(returned.payment.commands).toEqual(["ReleaseHold"]);
  });
});

describe("events out of order", () => {
  it("apply a settlement that overtook the acceptance, which is then ignored", () => {
    const { order, reception } = receive(anOrderIn("HandingOff"), "InstructionSettled", { number: 2 });
    expect([reception, order.phase]).toEqual(["Applied", "AwaitingReturns"]);
    expect(receive(order, "InstructionAccepted", { number: 1 })).toMatchObject({
      reception: "Ignored",
      order,
    });
  });

  it("defer a return that overtook the settlement, and then apply it as usual", () => {
    const flying = anOrderIn("InFlight", { progress: { rail: { eventNumber: 1 } } });
    const event: EventDetail = { number: 3, return: aReturn("R02") };
    expect(receive(flying, "InstructionReturned", event)).toMatchObject({
      reception: "OutOfOrder",
      order: flying,
    });
    const settled = receive(flying, "InstructionSettled", { number: 2 }).order;
    expect(receive(settled, "InstructionReturned", event).order.phase).toBe("ReleasingAsReturned");
  });

  it("defer a return that overtook the acceptance", () => {
    const event: EventDetail = { number: 2, return: aReturn("R02") };
    expect(receive(anOrderIn("HandingOff"), "InstructionReturned", event).reception).toBe("OutOfOrder");
    const accepted = receive(anOrderIn("HandingOff"), "InstructionAccepted", { number: 1 }).order;
    expect(receive(accepted, "InstructionReturned", event).order.phase).toBe("ReleasingAsReturned");
  });

  it("defer a return while the hold is being settled; it is late once the order is Completed", () => {
    const settling = anOrderIn("Settling", {
      progress: { applied: ["InstructionSettled"], rail: { eventNumber: 2 } },
    });
    const event: EventDetail = { number: 3, return: aReturn("R02") };
    expect(receive(settling, "InstructionReturned", event)).toMatchObject({
      reception: "OutOfOrder",
      order: settling,
    });
    const completed = receive(settling, "HoldSettled").order;
    const late = receive(completed, "InstructionReturned", event);
    expect(late.order.phase).toBe("PostingLateReturn");
    expect(late.order.progress.rail.return).toEqual({ ...aReturn("R02"), late: true });
    expect(late.payment.commands).toEqual(["PostLateReturn"]);
  });

  it("defer a rail's event until the hold is placed", () => {
    expect(receive(anOrderIn("ReservingFunds"), "InstructionAccepted", { number: 1 }).reception).toBe(
      "OutOfOrder",
    );
  });
});

describe("a late return", () => {
  const completed = anOrderIn("Completed", { sequence: 5 });
  const returned = receive(completed, "InstructionReturned", { number: 3, return: aReturn("R02") });
  const posted = receive(returned.order, "LateReturnPosted");

  it("leaves the order Completed, and is published once the ledger has posted it", () => {
    expect(returned.payment.events).toEqual([]);
    expect(posted.order).toMatchObject({ phase: "Completed", status: "Completed", sequence: 6 });
    expect(posted.payment.events).toHaveLength(1);
    expect(posted.payment.events[0]).toMatchObject({
      previousStatus: "Completed",
      order: {
        status: "Completed",
        sequence: 6,
        progress: { rail: { return: { code: "R02", late: true } } },
      },
    });
    expect(posted.payment.history).toEqual([]);
  });

  it("is ignored if it is reported again", () => {
    const again = receive(posted.order, "InstructionReturned", { number: 3, return: aReturn("R02") });
    expect(again).toMatchObject({ reception: "Ignored", order: posted.order });
  });

  it.each([
    ["another trace", aReturn("R02", "021000020000002")],
    ["another code", aReturn("R03")],
  ])("goes to Suspense if a second one comes with %s", (_with, second) => {
    const again = receive(posted.order, "InstructionReturned", { number: 4, return: second });
    expect([again.reception, again.payment.commands]).toEqual(["UnexpectedMovement", ["PostToSuspense"]]);
    expect(again.order).toMatchObject({
      status: "Completed",
      progress: { rail: { return: { code: "R02" } } },
    });
    expect(again.order.progress.rail.unexpectedMovements).toMatchObject([
      { movement: "Return", returnCode: second.code },
    ]);
  });
});

describe("an event that fits nothing", () => {
  it.each<[EventTrigger, Phase]>([
    ["InstructionSettled", "Failed"], // it failed before it was sent to a rail
    ["InstructionSettled", "Cancelled"],
    ["InstructionFailed", "Settling"],
    ["InstructionFailed", "Completed"],
    ["HoldRefused", "AwaitingApproval"],
    ["HoldSettled", "Cancelled"],
    ["InstructionReturned", "Failed"],
  ])("is parked: %s in %s", (trigger, phase) => {
    const order = anOrderIn(phase, { progress: { rail: { eventNumber: 1 } } });
    const detail = trigger === "InstructionReturned" ? { number: 2, return: aReturn("R02") } : { number: 2 };
    expect(receive(order, trigger, detail)).toMatchObject({ reception: "Parked", order });
  });
});

describe("an event that comes again", () => {
  it.each<[EventTrigger, Phase]>([
    ["HoldPlaced", "AwaitingApproval"],
    ["HoldPlaced", "Completed"],
    ["InstructionAccepted", "InFlight"],
    ["InstructionSettled", "AwaitingReturns"],
    ["HoldSettled", "Completed"],
    ["HoldReleased", "Cancelled"],
  ])("changes nothing: %s in %s", (trigger, phase) => {
    const order = anOrderIn(phase, { progress: { applied: [trigger] } });
    expect(receive(order, trigger, { number: 1 })).toMatchObject({ reception: "Ignored", order });
  });
});

describe("an order whose hold is refused", () => {
  it("fails with the ledger's code, before any money was reserved", () => {
    const failure = { code: "insufficient_funds", message: "The account can't cover it." };
    const { order, payment } = receive(anOrderIn("ReservingFunds"), "HoldRefused", { failure });
    expect(order).toMatchObject({ status: "Failed", progress: { ending: { failure } } });
    expect(payment.commands).toEqual([]);
  });
});

describe("a command's time", () => {
  it("is the time of its first sending, so that a resend is the same command", () => {
    const { order } = receive(anOrderIn("AwaitingReturns"), "InstructionReturned", {
      return: aReturn("R02"),
    });
    expect(order.progress.ledger.sentAt).toEqual({ ReleaseHold: "2026-03-04T17:00:00.000Z" });
  });
});
