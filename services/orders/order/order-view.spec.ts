import { describe, expect, it } from "vitest";
import { idOf } from "../../../contracts/ids/ids.ts";
import { paymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import { anOrderIn } from "../../../test/stack/orders/payment-order.ts";
import { viewOf } from "./order-view.ts";
import { initialProgress, type Phase, type StatusChange } from "./payment-order.ts";

const reached = (to: StatusChange["to"], at: string): StatusChange => ({
  position: 0,
  from: null,
  to,
  at: new Date(at),
  actor: "ledger",
  reason: null,
});
const made = reached("Draft", "2026-03-02T15:00:00.000Z");
const submitted = reached("Submitted", "2026-03-03T15:00:00.000Z");
const completed = reached("Completed", "2026-03-05T15:00:00.000Z");
const { rail } = initialProgress("maker");
const returned = {
  rail: {
    ...rail,
    return: {
      id: idOf("ret", "019c0000-0000-7000-8000-0000000000f1"),
      code: "R01",
      reason: "InsufficientFunds",
      traceNumber: "7",
      receivedAt: "2026-03-06T15:00:00.000Z",
      late: true,
    },
  },
};

describe("the times of an order", () => {
  it("are null until the order gets there", () => {
    expect(viewOf(anOrderIn("Draft"), [made])).toMatchObject({
      submittedAt: null,
      completedAt: null,
      returnedAt: null,
    });
  });

  it("are those of its history, and of its return once that is booked", () => {
    const history = [made, submitted, completed];
    const times = { submittedAt: "2026-03-03T15:00:00.000Z", completedAt: "2026-03-05T15:00:00.000Z" };
    const late = viewOf(anOrderIn("Completed", { progress: returned }), history);
    expect(late).toMatchObject({ ...times, returnedAt: "2026-03-06T15:00:00.000Z" });
    const booking = viewOf(anOrderIn("PostingLateReturn", { progress: returned }), history);
    expect(booking).toMatchObject({ ...times, returnedAt: null, return: null });
  });

  it("are null in an answer that was stored before they were shown", () => {
    const {
      submittedAt: _submitted,
      completedAt: _completed,
      returnedAt: _returned,
      awaiting: _awaiting,
      ...older
    } = viewOf(anOrderIn("Completed"), [made, submitted, completed]);
    const none = { submittedAt: null, completedAt: null, returnedAt: null, awaiting: null };
    expect(paymentOrder.parse(older)).toMatchObject(none);
  });
});

it.each<[Phase, string | null]>([
  ["Draft", null],
  ["ReservingFunds", null],
  ["AwaitingApproval", "Approval"],
  ["AwaitingWindow", "Window"],
  ["HandingOff", null],
  ["Completed", null],
])("an order in %s awaits %j", (phase, awaiting) => {
  expect(viewOf(anOrderIn(phase), []).awaiting).toBe(awaiting);
});
