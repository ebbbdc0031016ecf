import { beforeEach, describe, expect, it } from "vitest";
import { Refusal } from "../../../../contracts/errors.ts";
import type { TimelineEntry } from "../../../../contracts/http/payments/payment-order-timeline.ts";
import { newId } from "../../../../contracts/ids/ids.ts";
import { GetLedgerTransaction } from "../../../../contracts/messages/ledger-transactions.ts";
import { GetOrder } from "../../../../contracts/messages/orders.ts";
import { ListRailEvents } from "../../../../contracts/messages/rails.ts";
import { ListDeliveriesOfObject } from "../../../../contracts/messages/webhooks.ts";
import { anOrder } from "../../../../test/stack/orders/an-order.ts";
import { forThisFile } from "../../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../../test/stack/services/gateway.ts";

const gateway = await forThisFile(startGateway());
const { key } = await gateway.issue();
const id = newId("po");
const transactionId = `lt_${id.slice(3)}` as const;
const minute = (n: number) => `2026-03-02T15:0${String(n)}:00.000Z`;
const timelineOf = (asker = key) => gateway.call("GET", `/v1/payment-orders/${id}/timeline`, { key: asker });
const delivery = {
  id: newId("wh"),
  eventId: newId("evt"),
  endpointId: newId("we"),
  eventType: "payment_order.returned",
  status: "Delivered",
  at: minute(5),
} as const;

const suspenseId = newId("lt");

describe("a payment order's timeline", () => {
  beforeEach(async () => {
    await gateway.owner(GetOrder, () =>
      anOrder({
        id,
        statusHistory: [
          { from: null, to: "Draft", at: minute(0), actor: "ana", reason: null },
          { from: "Processing", to: "Returned", at: minute(4), actor: "rails", reason: "R01" },
        ],
        strayMovements: [
          { movement: "Return", returnCode: "R03", ledgerTransactionId: suspenseId, at: minute(6) },
        ],
      }),
    );
    await gateway.owner(GetLedgerTransaction, () => ({
      id: transactionId,
      status: "Voided" as const,
      description: null,
      currency: "USD",
      entries: [],
      basis: null,
      effectiveAt: minute(1),
      externalId: null,
      metadata: {},
      owner: { kind: "PaymentOrder" as const, id },
      reversedAt: null,
      journals: [
        {
          sequence: 7,
          kind: "Hold" as const,
          description: null,
          effectiveAt: minute(1),
          createdAt: minute(1),
        },
        {
          sequence: 9,
          kind: "Release" as const,
          description: null,
          effectiveAt: minute(4),
          createdAt: minute(4),
        },
      ],
      createdAt: minute(1),
    }));
    await gateway.owner(ListDeliveriesOfObject, () => ({ data: [] }));
    await gateway.owner(ListRailEvents, () => ({
      submittedAt: minute(2),
      events: [{ event: "Returned" as const, code: "R01", reference: null, at: minute(3) }],
    }));
  });

  const shown = (body: Record<string, unknown>) =>
    (body.data as TimelineEntry[]).map(({ source, kind, status, code }) =>
      [source, kind, status, code].filter((text) => text !== null).join(" "),
    );
  const withoutWebhooks = [
    "Orders StatusChanged Draft",
    "Ledger HoldPlaced",
    "Rails InstructionSubmitted",
    "Rails InstructionReturned R01",
    "Ledger HoldReleased",
    "Orders StatusChanged Returned",
    "Ledger SuspensePosted R03",
  ];

  it("names a service that is away, and still has the rest", async () => {
    await gateway.owner(ListDeliveriesOfObject, () => {
      throw new Refusal("service_unavailable", "");
    });
    const { status, body } = await timelineOf();
    expect(status).toBe(200);
    expect(shown(body)).toEqual(withoutWebhooks);
    expect(body).toMatchObject({
      paymentOrderId: id,
      truncated: false,
      unavailable: ["Webhooks"],
      leftOut: [],
    });
    await gateway.owner(GetOrder, () => {
      throw new Refusal("upstream_timeout", "");
    });
    expect((await timelineOf()).body).toMatchObject({ unavailable: ["Orders", "Webhooks"] });
  });

  it("merges what every service knows, with the ids that lead on", async () => {
    await gateway.owner(ListDeliveriesOfObject, ({ data }) => {
      expect(data).toEqual({ objectId: id, limit: 501 });
      return { data: [delivery] };
    });
    const { body } = await timelineOf();
    expect(shown(body)).toEqual([
      ...withoutWebhooks.slice(0, -1),
      "Webhooks WebhookQueued Delivered",
      withoutWebhooks[6],
    ]);
    expect(body.data).toContainEqual(
      expect.objectContaining({ kind: "HoldPlaced", ledgerTransactionId: transactionId, sequence: 7 }),
    );
    expect(body.data).toContainEqual(
      expect.objectContaining({
        kind: "WebhookQueued",
        webhookId: delivery.id,
        eventId: delivery.eventId,
        endpointId: delivery.endpointId,
        eventType: "payment_order.returned",
      }),
    );
    expect(body.unavailable).toEqual([]);
  });

  it("leaves out what the key's scopes don't open, asks nobody for it, and says so", async () => {
    let asked = 0;
    await gateway.owner(ListDeliveriesOfObject, () => ((asked += 1), { data: [] }));
    const { key: narrow } = await gateway.issue({ scopes: ["orders:read"], principal: "narrow" });
    const { body } = await timelineOf(narrow);
    expect(shown(body)).toEqual([
      "Orders StatusChanged Draft",
      "Rails InstructionSubmitted",
      "Rails InstructionReturned R01",
      "Orders StatusChanged Returned",
    ]);
    expect(body.leftOut).toEqual([
      { source: "Ledger", scope: "ledger:read" },
      { source: "Webhooks", scope: "webhooks:read" },
    ]);
    expect([body.unavailable, asked]).toEqual([[], 0]);
  });

  it("of an order without a hold has no journals", async () => {
    await gateway.owner(GetLedgerTransaction, () => {
      throw new Refusal("not_found", "");
    });
    const { status, body } = await timelineOf();
    expect([status, body.unavailable]).toEqual([200, []]);
  });

  it("of an order of another book is not found", async () => {
    await gateway.owner(GetOrder, () => {
      throw new Refusal("not_found", "");
    });
    expect((await timelineOf()).body.code).toBe("not_found");
    expect((await gateway.call("GET", "/v1/payment-orders/la_x/timeline", { key })).body.code).toBe(
      "not_found",
    );
  });
});
