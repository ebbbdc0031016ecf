import { describe, expect, it } from "vitest";
import {
  counterpartyEvent,
  fuelTaxEvent,
  inboundPaymentEvent,
  paymentOrderEvent,
  paymentOrderEventV2,
} from "../../../../contracts/http/webhooks/events.ts";
import type { ApiVersion } from "../../../../contracts/http/versions.ts";
import type { MessageType } from "../../../../contracts/message.ts";
import { InboundPaymentReceived } from "../../../../contracts/messages/inbound.ts";
import { RemittanceCleared, RemittanceReturned } from "../../../../contracts/messages/obligations.ts";
import { CounterpartyChangeProposed, OrderStatusChanged } from "../../../../contracts/messages/orders.ts";
import { eventTypeOf, type OrderChange } from "./order-events.ts";
import { toPublicEvent, type SourceEvent } from "./public-events.ts";
import { render } from "./render.ts";

/** The body of the event of a message with this data, in a version. */
function bodyOf({ type }: MessageType, data: unknown, version: ApiVersion): string {
  const event = toPublicEvent({ type, data } as SourceEvent);
  if (event === null) throw new Error("the message has no public event");
  return render("evt_01h455vb4pex5vsknk084sn02q", event, version);
}

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
  it("has amount and currency in one member, and otherwise equals version 1", () => {
    expect(bodyOf(OrderStatusChanged, completed, "v2")).toBe(
      bodyOf(OrderStatusChanged, completed, "v1").replace(
        '"amountCents":12500,"currency":"USD"',
        '"amount":{"cents":12500,"currency":"USD"}',
      ),
    );
    expect(bodyOf(OrderStatusChanged, completed, "v2")).toContain(
      '"amount":{"cents":12500,"currency":"USD"}',
    );
  });
});

describe("the published event schemas", () => {
  it.each([
    ["v1", paymentOrderEvent],
    ["v2", paymentOrderEventV2],
  ] as const)("include every member of an event in %s", (version, schema) => {
    const body = JSON.parse(bodyOf(OrderStatusChanged, completed, version));
    // Unknown members would be dropped.
    expect(schema.parse(body)).toEqual(body);
  });
});

describe("the body of an event, version 1", () => {
  it("is the envelope with the status change, byte for byte", () => {
    expect(bodyOf(OrderStatusChanged, completed, "v1")).toBe(
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
    const body = JSON.parse(bodyOf(OrderStatusChanged, change, "v1"));
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
  ] as const)("for %s is %s", (status, type) => {
    expect(eventTypeOf({ ...completed, status })).toBe(type);
  });

  it("for a return after completion is payment_order.returned, although the order stays Completed", () => {
    expect(eventTypeOf({ ...completed, late: true })).toBe("payment_order.returned");
  });
});

describe("the event of a ledger message", () => {
  const inbound = {
    inboundPaymentId: "ip_01h455vb4pex5vsknk084sn02q",
    status: "Suspended",
    reason: "UnknownNumber",
    virtualAccountId: null,
    ledgerAccountId: null,
    ledgerTransactionId: "lt_01h455vb4pex5vsknk084sn02q",
    rail: "Rtp",
    direction: "Credit",
    amountCents: 4_200,
    currency: "USD",
    originatorName: "Blue Freight",
    bankReference: "79200000001",
    returnsPaymentOrderId: null,
    unmatchedReturn: null,
    occurredAt: "2026-03-02T15:04:05.678Z",
  };
  const remittance = {
    obligationId: "ob_01h455vb4pex5vsknk084sn02q",
    reference: "IFTA 2026 Q1",
    jurisdiction: "TX",
    period: "2026-Q1",
    amountCents: 418_250,
    paymentOrderId: "po_01h455vb4pex5vsknk084sn02q",
    occurredAt: "2026-03-02T15:04:05.678Z",
  };
  const paymentReturn = {
    id: "ret_01h455vb4pex5vsknk084sn02q",
    code: "R02",
    reason: "AccountClosed",
    receivedAt: "2026-03-02T15:04:05.678Z",
    late: false,
  };

  it("renders an inbound payment, byte for byte", () => {
    expect(bodyOf(InboundPaymentReceived, inbound, "v1")).toBe(
      '{"id":"evt_01h455vb4pex5vsknk084sn02q","type":"inbound_payment.received",' +
        '"created_at":"2026-03-02T15:04:05.678Z","data":{"id":"ip_01h455vb4pex5vsknk084sn02q",' +
        '"status":"Suspended","reason":"UnknownNumber","virtualAccountId":null,"ledgerAccountId":null,' +
        '"ledgerTransactionId":"lt_01h455vb4pex5vsknk084sn02q","rail":"Rtp","direction":"Credit",' +
        '"amountCents":4200,"currency":"USD","originatorName":"Blue Freight","bankReference":"79200000001",' +
        '"returnsPaymentOrderId":null,"unmatchedReturn":null,"occurredAt":"2026-03-02T15:04:05.678Z"}}',
    );
  });

  it("renders an unmatched return with its code and trace number, in each version", () => {
    const unmatchedReturn = { code: "R03", originalTraceNumber: "791010987654321" };
    const returned = { ...inbound, reason: "UnmatchedReturn", rail: "Ach", unmatchedReturn };
    for (const version of ["v1", "v2"] as const) {
      const body = JSON.parse(bodyOf(InboundPaymentReceived, returned, version)) as { data: object };
      expect(inboundPaymentEvent.parse(body).data).toEqual(body.data);
      expect(body.data).toMatchObject({ reason: "UnmatchedReturn", unmatchedReturn });
    }
  });

  it("renders a cleared remittance, byte for byte", () => {
    expect(bodyOf(RemittanceCleared, remittance, "v1")).toBe(
      '{"id":"evt_01h455vb4pex5vsknk084sn02q","type":"fuel_tax.remittance_cleared",' +
        '"created_at":"2026-03-02T15:04:05.678Z","data":{"obligationId":"ob_01h455vb4pex5vsknk084sn02q",' +
        '"reference":"IFTA 2026 Q1","jurisdiction":"TX","period":"2026-Q1","amountCents":418250,' +
        '"paymentOrderId":"po_01h455vb4pex5vsknk084sn02q","occurredAt":"2026-03-02T15:04:05.678Z"}}',
    );
  });

  it("renders a returned remittance with its return", () => {
    const body = JSON.parse(bodyOf(RemittanceReturned, { ...remittance, return: paymentReturn }, "v1"));
    expect(body).toMatchObject({
      type: "fuel_tax.remittance_returned",
      data: { obligationId: remittance.obligationId, return: { code: "R02" } },
    });
    expect(fuelTaxEvent.parse(body)).toEqual(body);
  });

  it("is the same in version 2, and has only published members", () => {
    for (const [type, data, schema] of [
      [InboundPaymentReceived, inbound, inboundPaymentEvent],
      [RemittanceCleared, remittance, fuelTaxEvent],
    ] as const) {
      expect(bodyOf(type, data, "v2")).toBe(bodyOf(type, data, "v1"));
      const body = JSON.parse(bodyOf(type, data, "v1"));
      expect(schema.parse(body)).toEqual(body);
    }
  });

  it("is one event per paying order and direction", () => {
    const changeOf = (type: MessageType, data: object) => {
      const event = toPublicEvent({ type: type.type, data } as SourceEvent);
      return `${event?.objectId} ${String(event?.sequence)} ${event?.changeKey}`;
    };
    const again = { ...remittance, paymentOrderId: "po_01h455vb4pex5vsknk084sn02r" };
    const changes = [
      changeOf(RemittanceCleared, remittance),
      changeOf(RemittanceReturned, { ...remittance, return: paymentReturn }),
      changeOf(RemittanceCleared, again),
      changeOf(RemittanceCleared, remittance),
    ];
    expect(new Set(changes).size).toBe(3);
    expect(changes[3]).toBe(changes[0]);
  });
});

describe("the event of a proposed change", () => {
  const proposed = {
    id: "chg_01h455vb4pex5vsknk084sn02q",
    counterpartyId: "cp_01h455vb4pex5vsknk084sn02q",
    paymentOrderId: "po_01h455vb4pex5vsknk084sn02q",
    rails: ["Ach"],
    code: "C01",
    correctedData: {
      accountNumber: "****6789",
      routingNumber: null,
      name: null,
      transactionCode: null,
      individualId: null,
    },
    receivedAt: "2026-03-02T13:30:00.000Z",
    correctBy: "2026-03-11T04:00:00.000Z",
    mode: "Test",
  };

  it("has the proposal, byte for byte and in every version", () => {
    const body =
      '{"id":"evt_01h455vb4pex5vsknk084sn02q","type":"counterparty.change_proposed",' +
      '"created_at":"2026-03-02T13:30:00.000Z","data":{"id":"chg_01h455vb4pex5vsknk084sn02q",' +
      '"counterpartyId":"cp_01h455vb4pex5vsknk084sn02q","paymentOrderId":"po_01h455vb4pex5vsknk084sn02q",' +
      '"rails":["Ach"],"code":"C01","correctedData":{"accountNumber":"****6789","routingNumber":null,' +
      '"name":null,"transactionCode":null,"individualId":null},"receivedAt":"2026-03-02T13:30:00.000Z",' +
      '"correctBy":"2026-03-11T04:00:00.000Z"}}';
    expect(bodyOf(CounterpartyChangeProposed, proposed, "v1")).toBe(body);
    expect(bodyOf(CounterpartyChangeProposed, proposed, "v2")).toBe(body);
    expect(counterpartyEvent.parse(JSON.parse(body))).toEqual(JSON.parse(body));
  });

  it("is one event of its counterparty for each proposal", () => {
    const eventOf = (data: object) =>
      toPublicEvent({ type: CounterpartyChangeProposed.type, data } as SourceEvent);
    const [one, other] = [eventOf(proposed), eventOf({ ...proposed, id: "chg_01h455vb4pex5vsknk084sn02r" })];
    expect([one?.objectId, other?.objectId]).toEqual([proposed.counterpartyId, proposed.counterpartyId]);
    expect(one?.changeKey).not.toBe(other?.changeKey);
  });
});
