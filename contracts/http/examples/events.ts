/** Events and their types, as the reference page shows them. A test holds each against its schema. */
import type { z } from "zod";
import type { endpointEvent, fuelTaxEvent, testEvent } from "../webhooks/events.ts";
import type { event, eventTypeInfo } from "../webhooks/stored-events.ts";
import { at, ids } from "./ids.ts";

const type = "payment_order.completed";

export const eventExamples = {
  StoredEvent: {
    id: ids.event,
    type,
    objectId: ids.order,
    sequence: 4,
    created_at: at(358),
    data: {
      id: ids.order,
      status: "Completed",
      rail: "Ach",
      amountCents: 1_000,
      currency: "USD",
      direction: "Credit",
      externalId: "invoice-4711",
      previousStatus: "Processing",
      sequence: 4,
      occurredAt: at(358),
    },
  } satisfies z.output<typeof event>,
  EventType: {
    type,
    description: "An order's money has moved.",
    isDefault: true,
    apiVersion: "v1",
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { id: { type: "string" }, type: { type: "string", const: type } },
      required: ["id", "type"],
    },
  } satisfies z.output<typeof eventTypeInfo>,
  FuelTaxEvent: {
    id: ids.event,
    type: "fuel_tax.remittance_cleared",
    created_at: at(358),
    data: {
      obligationId: "ob_01jd3k0c9xf6k3m8t2w5r7y1va",
      reference: "IFTA 2026 Q1",
      jurisdiction: "TX",
      period: "2026-Q1",
      amountCents: 418_250,
      paymentOrderId: ids.order,
      occurredAt: at(358),
    },
  } satisfies z.output<typeof fuelTaxEvent>,
  WebhookEndpointEvent: {
    id: ids.event,
    type: "webhook_endpoint.disabled",
    created_at: at(358),
    data: {
      id: ids.endpoint,
      host: "hooks.acme.example",
      disableAfterDays: 5,
      failingSince: "2026-02-25T15:00:00.358Z",
      occurredAt: at(358),
    },
  } satisfies z.output<typeof endpointEvent>,
  TestEvent: {
    id: ids.event,
    type: "test.event",
    created_at: at(0),
    data: {},
  } satisfies z.output<typeof testEvent>,
};
