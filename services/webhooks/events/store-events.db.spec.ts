/** What an event leaves in the database, with and without a receiver. */
import { beforeEach, describe, expect, it } from "vitest";
import type { ApiVersion } from "../../../contracts/http/versions.ts";
import { type EventId, idOf, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import type { MessageType } from "../../../contracts/message.ts";
import { InboundPaymentReceived } from "../../../contracts/messages/inbound.ts";
import { RemittanceCleared, RemittanceReturned } from "../../../contracts/messages/obligations.ts";
import { OrderStatusChanged } from "../../../contracts/messages/orders.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import {
  statusChange,
  TestClock,
  requestContext,
  WebhooksInstance,
} from "../../../test/stack/services/webhooks.ts";
import { type SourceEvent, toPublicEvent } from "./domain/public-events.ts";
import { render } from "./domain/render.ts";

const units = await forThisFile(openFreshUnits("webhooks"));
const webhooks = await forThisFile(new WebhooksInstance(units, new TestClock()));
let payer = requestContext();
beforeEach(() => {
  payer = requestContext();
});

const url = "http://127.0.0.1:1/hooks";
const count = async (table: string, where: string, value: string) =>
  (await units.database.sql(`select from ${table} where ${where} = $1`, [value])).length;

/** The statements that consuming these messages takes, without `begin` and `commit`. Nothing is sent. */
async function statementsOf(...messages: SourceEvent[]): Promise<string[]> {
  const sent: string[] = [];
  await units.units.run((unit) =>
    webhooks.fanOut.onMessages(messages, {
      ...unit,
      sql: ((text, values) => {
        sent.push(text);
        return unit.sql(text, values);
      }) as typeof unit.sql,
      afterCommit: () => undefined,
    }),
  );
  return sent;
}

describe("a batch of events", () => {
  it("takes two statements: one reads the endpoints, one inserts events, renderings and deliveries", async () => {
    await webhooks.createEndpoint(payer, { url });
    const received = statusChange(payer);
    const unreceived = statusChange(payer, { status: "Submitted", sequence: 1 });
    const statements = await statementsOf(received, unreceived);
    expect(
      statements.map((text) => /from endpoint e|insert into (event|rendering|delivery)/.test(text)),
    ).toEqual([true, true]);
    for (const [message, rows] of [
      [received, 1],
      [unreceived, 0],
    ] as const) {
      expect(await count("event", "id", message.id)).toBe(1);
      expect(await count("rendering", "event_id", message.id)).toBe(rows);
      expect(await count("delivery", "event_id", message.id)).toBe(rows);
    }
  });

  it("takes two statements without a receiver, too, and none if no message is an event", async () => {
    const draft = statusChange(payer, { status: "Draft", previousStatus: "Draft", sequence: 1 });
    expect(await statementsOf(statusChange(payer))).toHaveLength(2);
    expect(await statementsOf(draft)).toEqual([]);
  });
});

const occurredAt = "2026-03-02T15:04:05.678Z";
const paymentReturn = {
  id: "ret_01h455vb4pex5vsknk084sn02q",
  code: "R02",
  reason: "AccountClosed",
  receivedAt: occurredAt,
  late: true,
};
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
  occurredAt,
};
const remittance = {
  obligationId: "ob_01h455vb4pex5vsknk084sn02q",
  reference: "IFTA 2026 Q1",
  jurisdiction: "TX",
  period: "2026-Q1",
  amountCents: 418_250,
  paymentOrderId: "po_01h455vb4pex5vsknk084sn02q",
  occurredAt,
};

interface Row {
  readonly object_id: string;
  readonly sequence: number;
  readonly payload: object;
}

describe("an event that nobody received", () => {
  const messageOf = (type: MessageType, data: object) =>
    ({ ...statusChange(payer), id: newUuid(), type: type.type, data: type.data.parse(data) }) as SourceEvent;

  // What its row's columns say is not in its payload. `mode` is the book's.
  const fromRow = {
    order: ({ object_id: orderId, sequence }: Row) => ({ orderId, sequence, mode: "Test" }),
    inbound: ({ object_id: inboundPaymentId }: Row) => ({ inboundPaymentId }),
    remittance: ({ object_id: obligationId }: Row) => ({ obligationId }),
  };

  it.each<[string, MessageType, () => object, (row: Row) => object]>([
    [
      "an order",
      OrderStatusChanged,
      () => statusChange(payer, { externalId: "invoice-7" }).data,
      fromRow.order,
    ],
    [
      "an order with everything that applies at times",
      OrderStatusChanged,
      () => ({
        ...statusChange(payer).data,
        failure: { code: "insufficient_funds", message: "The account can't cover the amount" },
        return: paymentReturn,
        late: true,
        cancelReason: "wrong payee",
        approval: { required: 2, received: 1 },
      }),
      fromRow.order,
    ],
    ["an inbound payment", InboundPaymentReceived, () => inbound, fromRow.inbound],
    ["a cleared remittance", RemittanceCleared, () => remittance, fromRow.remittance],
    [
      "a returned remittance",
      RemittanceReturned,
      () => ({ ...remittance, return: paymentReturn }),
      fromRow.remittance,
    ],
  ])("of %s can be rendered from its row, byte for byte", async (_what, type, data, columnsOf) => {
    const message = messageOf(type, data());
    await webhooks.consume(message);
    const [row] = await units.database.sql<Row>(
      "select object_id, sequence, payload from event where book_id = $1 and id = $2",
      [uuidOf(payer.caller.book), message.id],
    );
    const again = {
      ...message,
      data: type.data.parse({ ...row!.payload, ...columnsOf(row!) }),
    } as SourceEvent;
    const rendered = (of: SourceEvent, version: ApiVersion) =>
      render(idOf("evt", message.id) satisfies EventId, toPublicEvent(of)!, version);
    for (const version of ["v1", "v2"] as const) {
      expect(rendered(again, version)).toBe(rendered(message, version));
    }
  });

  it("says of an order only what its other columns don't", async () => {
    const message = statusChange(payer);
    await webhooks.consume(message);
    const [row] = await units.database.sql<Row>("select payload from event where id = $1", [message.id]);
    expect(row?.payload).toEqual({
      status: "Completed",
      previousStatus: "Processing",
      occurredAt: "2026-03-04T16:59:59.000Z",
      rail: "Ach",
      direction: "Credit",
      amountCents: 1_250,
      currency: "USD",
      externalId: null,
    });
  });
});
