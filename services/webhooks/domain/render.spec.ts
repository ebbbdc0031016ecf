import { describe, expect, it } from "vitest";
import { paymentOrderEvent, paymentOrderEventV2 } from "../../../contracts/http/events.ts";
import { eventTypeOf, type OrderChange, render } from "./render.ts";

const completed: OrderChange = {
  orderId: "po_01h455vb4pex5vsknk084sn02q",
  mode: "Test",
  status: "Completed",
  previousStatus: "Processing",
  sequence: 4,
  occurredAt: "2026-03-02T15:04:05.678Z",
  rail: "Ach",
  direction: "Credit",
  amountCents: 12_500,
  currency: "USD",
  externalId: "invoice-7",
};

describe("the body of an event, version 2", () => {
  it("has the amount and its currency in one member, and is as version 1 for the rest", () => {
    const event = {
      id: "evt_01h455vb4pex5vsknk084sn02q",
      type: "payment_order.completed",
      change: completed,
    } as const;
    expect(render(event, "v2")).toBe(
      render(event, "v1").replace(
        '"amountCents":12500,"currency":"USD"',
        '"amount":{"cents":12500,"currency":"USD"}',
      ),
    );
    expect(render(event, "v2")).toContain('"amount":{"cents":12500,"currency":"USD"}');
  });
});

describe("the schemas that the document shows", () => {
  const event = {
    id: "evt_01h455vb4pex5vsknk084sn02q",
    type: "payment_order.completed",
    change: completed,
  } as const;

  it.each([
    ["v1", paymentOrderEvent],
    ["v2", paymentOrderEventV2],
  ] as const)("know every member of an event in %s", (version, schema) => {
    const body = JSON.parse(render(event, version));
    // Unknown members would be dropped.
    expect(schema.parse(body)).toEqual(body);
  });
});

describe("the body of an event, version 1", () => {
  it("is the envelope with the order's change, byte for byte", () => {
    expect(
      render(
        { id: "evt_01h455vb4pex5vsknk084sn02q", type: "payment_order.completed", change: completed },
        "v1",
      ),
    ).toBe(
      '{"id":"evt_01h455vb4pex5vsknk084sn02q","type":"payment_order.completed",' +
        '"created_at":"2026-03-02T15:04:05.678Z","data":{"id":"po_01h455vb4pex5vsknk084sn02q",' +
        '"status":"Completed","rail":"Ach","amountCents":12500,"currency":"USD","direction":"Credit",' +
        '"externalId":"invoice-7","previousStatus":"Processing","sequence":4,' +
        '"occurredAt":"2026-03-02T15:04:05.678Z"}}',
    );
  });

  it("carries failure, return, cancelReason and approval where they apply", () => {
    const change: OrderChange = {
      ...completed,
      late: true,
      return: {
        id: "ret_01h455vb4pex5vsknk084sn02q",
        code: "R01",
        reason: "InsufficientFunds",
        receivedAt: "2026-03-02T15:04:05.678Z",
        late: true,
      },
      failure: { code: "insufficient_funds", message: "The account can't cover the amount" },
      cancelReason: "wrong payee",
      approval: { required: 2, received: 1 },
    };
    const body = JSON.parse(
      render({ id: "evt_01h455vb4pex5vsknk084sn02q", type: "payment_order.returned", change }, "v1"),
    );
    expect(body.data).toMatchObject({
      late: true,
      return: { code: "R01", late: true },
      failure: { code: "insufficient_funds" },
      cancelReason: "wrong payee",
      approval: { required: 2, received: 1 },
    });
  });
});

describe("the type of an event", () => {
  it.each([
    ["Draft", null],
    ["Submitted", "payment_order.submitted"],
    ["Pending", "payment_order.pending"],
    ["Processing", "payment_order.processing"],
    ["Completed", "payment_order.completed"],
    ["Failed", "payment_order.failed"],
    ["Returned", "payment_order.returned"],
    ["Cancelled", "payment_order.cancelled"],
  ] as const)("of %s is %s", (status, type) => {
    expect(eventTypeOf({ ...completed, status })).toBe(type);
  });

  it("of a return after completion is payment_order.returned, although the order stays Completed", () => {
    expect(eventTypeOf({ ...completed, late: true })).toBe("payment_order.returned");
  });
});
