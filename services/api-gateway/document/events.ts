/** The `webhooks` section: what an endpoint of a version receives. */
import type { z } from "zod";
import {
  fuelTaxEvent,
  inboundPaymentEvent,
  paymentOrderEvent,
  paymentOrderEventV2,
  testEvent,
} from "../../../contracts/http/webhooks/events.ts";
import type { ApiVersion } from "../../../contracts/http/versions.ts";
import {
  documentedEventTypes,
  eventTypes,
  type WebhookEventType,
} from "../../../contracts/http/webhooks/webhooks.ts";
import { describeSchema, type JsonSchema } from "./json-schema.ts";

const happened: Readonly<Record<WebhookEventType, string>> = {
  "payment_order.submitted": "An order was submitted: its fields are frozen",
  "payment_order.pending": "An order's money is held; it waits for approvals, its window or its hand-off",
  "payment_order.processing": "An order went to its rail",
  "payment_order.completed": "An order's money has moved, and the ledger says so",
  "payment_order.failed": "An order failed; nothing of its money is held any more",
  "payment_order.returned": "The bank returned an order's money, or did so after completion (`data.late`)",
  "payment_order.cancelled": "An order was cancelled; nothing of its money is held any more",
  "fuel_tax.remittance_cleared": "A remittance was paid and its liability is relieved to zero",
  "fuel_tax.remittance_returned": "A remittance came back and its liability is payable again",
  "inbound_payment.received":
    "Money came in for a virtual account, or for a number that nobody has; or a collection was tried and returned",
  "test.event": "Nothing: you asked for it, to try the endpoint",
};

const headers = [
  {
    name: "X-Service-Signature",
    description:
      "Lowercase hex of HMAC-SHA256 over the raw body, keyed with the whole text of the secret, `whsec_` included. " +
      "During a rotation several, newest secret first, comma-separated: any one may match.",
    schema: { type: "string", pattern: "^[0-9a-f]{64}(,[0-9a-f]{64})*$" },
  },
  {
    name: "webhook-id",
    description: "The event's id (Standard Webhooks).",
    schema: { type: "string" },
  },
  {
    name: "webhook-timestamp",
    description: "When this attempt was sent, in seconds since 1970 (Standard Webhooks).",
    schema: { type: "string", pattern: "^[0-9]+$" },
  },
  {
    name: "webhook-signature",
    description:
      "`v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`, keyed with the decoded base64 behind `whsec_`; " +
      "during a rotation several, space-separated (Standard Webhooks).",
    schema: { type: "string" },
  },
].map((header) => ({ ...header, in: "header", required: true }));

function schemaOf(type: WebhookEventType, version: ApiVersion): z.ZodType {
  if (type === "test.event") return testEvent;
  if (type.startsWith("fuel_tax.")) return fuelTaxEvent;
  if (type === "inbound_payment.received") return inboundPaymentEvent;
  return version === "v1" ? paymentOrderEvent : paymentOrderEventV2;
}

/** Every event type with its headers, body and what the receiver answers; and the schemas that they point to. */
export function eventsOf(version: ApiVersion): {
  webhooks: Record<string, object>;
  schemas: Record<string, JsonSchema>;
} {
  const schemas: Record<string, JsonSchema> = {};
  const webhooks = eventTypes.map((type) => {
    const { schema, components } = describeSchema(schemaOf(type, version), "output");
    Object.assign(schemas, components);
    return [type, { post: eventOf(type, schema) }] as const;
  });
  return { webhooks: Object.fromEntries(webhooks), schemas };
}

function eventOf(type: WebhookEventType, schema: JsonSchema) {
  const isDocumented = (documentedEventTypes as readonly string[]).includes(type);
  // Only an order numbers its events.
  const order = type.startsWith("payment_order.") ? "data.sequence" : "created_at";
  return {
    operationId: type.replace(/[._](\w)/g, (_dot, letter: string) => letter.toUpperCase()),
    summary: happened[type],
    description: `Sent to endpoints ${isDocumented ? "that name no types, and to those " : ""}that ask for \`${type}\` or \`*\`. At least once and in any order: de-duplicate by \`id\`, order by \`${order}\`.`,
    tags: ["Events"],
    security: [],
    parameters: headers,
    requestBody: { required: true, content: { "application/json": { schema } } },
    responses: {
      "2XX": {
        description:
          "Taken, within 15 seconds. Anything else is an attempt that failed: the next comes later.",
      },
    },
  };
}
