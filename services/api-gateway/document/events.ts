/** The document's `webhooks` section: the events that an endpoint of a version receives. */
import { eventBodyOf } from "../../../contracts/http/webhooks/events.ts";
import type { ApiVersion } from "../../../contracts/http/versions.ts";
import {
  defaultEventTypes,
  eventDescriptions,
  eventTypes,
  type WebhookEventType,
} from "../../../contracts/http/webhooks/webhooks.ts";
import { describeSchema, type JsonSchema } from "./json-schema.ts";

const headers = [
  {
    name: "X-Service-Signature",
    description:
      "Lowercase hex of HMAC-SHA256 over the raw body, keyed with the whole secret including `whsec_`. It may hold " +
      "several signatures, comma-separated: one match is enough.",
    example: "9ca58774d31f923524ba2c6a8b4f0a6b1f0a3a8f6d2f44f1f0b9d63f5a1c7e02",
    schema: { type: "string", pattern: "^[0-9a-f]{64}(,[0-9a-f]{64})*$" },
  },
  {
    name: "webhook-id",
    description: "The event's id (Standard Webhooks).",
    example: "evt_01jd3k5sdvexk3j8h6g1m9p5c2",
    schema: { type: "string" },
  },
  {
    name: "webhook-timestamp",
    example: "1772463600",
    description: "When the attempt was sent, in seconds since 1970 (Standard Webhooks).",
    schema: { type: "string", pattern: "^[0-9]+$" },
  },
  {
    name: "webhook-signature",
    description:
      "`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, keyed with the decoded base64 after `whsec_`. " +
      "It may hold several, space-separated: one match is enough (Standard Webhooks).",
    example: "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    schema: { type: "string" },
  },
].map((header) => ({ ...header, in: "header", required: true }));

/** Every event type with its headers, body and the receiver's answer, and the schemas that they reference. */
export function eventsOf(version: ApiVersion): {
  webhooks: Record<string, object>;
  schemas: Record<string, JsonSchema>;
} {
  const schemas: Record<string, JsonSchema> = {};
  const webhooks = eventTypes.map((type) => {
    const { schema, components } = describeSchema(eventBodyOf(type, version), "output");
    Object.assign(schemas, components);
    return [type, { post: eventOf(type, schema) }] as const;
  });
  return { webhooks: Object.fromEntries(webhooks), schemas };
}

/** `payment_order.completed` becomes "Payment order completed". */
function titleOf(type: WebhookEventType): string {
  const words = type.replaceAll(/[._]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function eventOf(type: WebhookEventType, schema: JsonSchema) {
  const isDefault = defaultEventTypes.includes(type);
  // Only an order numbers its events.
  const sortMember = type.startsWith("payment_order.") ? "data.sequence" : "created_at";
  return {
    operationId: type.replace(/[._](\w)/g, (_dot, letter: string) => letter.toUpperCase()),
    summary: titleOf(type),
    description: `${eventDescriptions[type]} Sent to endpoints that subscribe to \`${type}\` or \`*\`${isDefault ? ", and to endpoints without `eventTypes`" : ""}. Deliveries come at least once and in any order: deduplicate by \`id\`, sort by \`${sortMember}\`.`,
    tags: ["Events"],
    security: [],
    parameters: headers,
    requestBody: { required: true, content: { "application/json": { schema } } },
    responses: {
      "2XX": {
        description: "Acknowledged, within 15 seconds. Any other answer is a failed attempt, and is retried.",
      },
    },
  };
}
