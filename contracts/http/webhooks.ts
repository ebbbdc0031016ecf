import { z } from "zod";
import { idSchema } from "../ids.ts";
import { metadata, pageOf, pageQuery, timestamp } from "./shapes.ts";

export const documentedEventTypes = [
  "payment_order.pending",
  "payment_order.completed",
  "payment_order.failed",
  "payment_order.returned",
  "payment_order.cancelled",
  "fuel_tax.remittance_cleared",
  "fuel_tax.remittance_returned",
] as const;
export const additiveEventTypes = [
  "payment_order.submitted",
  "payment_order.processing",
  "test.event",
] as const;
export const eventTypes = [...documentedEventTypes, ...additiveEventTypes] as const;
export type WebhookEventType = (typeof eventTypes)[number];

export const webhookEndpointCreate = z
  .strictObject({
    url: z.url().max(2048),
    /** Omitted: the seven documented types. `["*"]`: every type. */
    eventTypes: z
      .array(z.enum(["*", ...eventTypes]))
      .min(1)
      .max(50)
      .optional(),
    description: z.string().max(255).optional(),
    metadata: metadata.optional(),
  })
  .meta({ id: "WebhookEndpointCreate" });
export type WebhookEndpointCreate = z.infer<typeof webhookEndpointCreate>;

export const webhookEndpoint = z
  .object({
    id: idSchema("we"),
    url: z.string(),
    eventTypes: z.array(z.string()),
    description: z.string().nullable(),
    metadata,
    apiVersion: z.literal("v1"),
    status: z.enum(["Enabled", "Disabled"]),
    createdAt: timestamp,
  })
  .meta({ id: "WebhookEndpoint" });
export type WebhookEndpoint = z.infer<typeof webhookEndpoint>;
/** The answer to a creation, the only one that shows the secret (`whsec_` + base64). */
export const webhookEndpointCreated = webhookEndpoint
  .extend({ signingSecret: z.string() })
  .meta({ id: "WebhookEndpointCreated" });
export const webhookEndpointPage = pageOf(webhookEndpoint).meta({ id: "WebhookEndpointPage" });
export const webhookEndpointQuery = z.strictObject({ ...pageQuery });

export const deliveryStatus = z.enum(["Pending", "Delivered", "Retrying", "DeadLettered"]);

const attempt = z.object({
  at: timestamp,
  durationMs: z.int(),
  responseStatus: z.int().nullable(),
  /** The first 16 KiB. */
  responseBody: z.string().nullable(),
  error: z.string().nullable(),
});

export const webhookDelivery = z
  .object({
    id: idSchema("wh"),
    eventId: idSchema("evt"),
    endpointId: idSchema("we"),
    eventType: z.string(),
    status: deliveryStatus,
    attemptCount: z.int(),
    nextAttemptAt: timestamp.nullable(),
    attempts: z.array(attempt),
    createdAt: timestamp,
  })
  .meta({ id: "WebhookDelivery" });
export type WebhookDelivery = z.infer<typeof webhookDelivery>;
/** Lists leave `attempts` empty of bodies: a message between services is at most 1 MiB. */
export const webhookDeliveryPage = pageOf(webhookDelivery).meta({ id: "WebhookDeliveryPage" });
export const webhookDeliveryQuery = z.strictObject({
  ...pageQuery,
  status: deliveryStatus.optional(),
  eventType: z.string().max(100).optional(),
  endpointId: z.string().max(64).optional(),
  eventId: z.string().max(64).optional(),
});

export const testSinkCreate = z
  .strictObject({
    /** Statuses to answer with, in turn; the last one repeats. Default: 200 for ever. */
    respond: z.array(z.int().min(200).max(599)).min(1).max(100).default([200]),
    delayMs: z.int().min(0).max(30_000).default(0),
  })
  .meta({ id: "TestSinkCreate" });
export const testSink = z
  .object({
    id: idSchema("sink"),
    url: z.string(),
    respond: z.array(z.int()),
    delayMs: z.int(),
    createdAt: timestamp,
  })
  .meta({ id: "TestSink" });
export type TestSink = z.infer<typeof testSink>;
export const testSinkRequest = z
  .object({
    receivedAt: timestamp,
    headers: z.record(z.string(), z.string()),
    /** The raw bytes, base64. */
    bodyBase64: z.string(),
    /** The endpoint whose active secret verified `X-Service-Signature`, or null. */
    verifiedByEndpointId: idSchema("we").nullable(),
    respondedStatus: z.int(),
  })
  .meta({ id: "TestSinkRequest" });
export type TestSinkRequest = z.infer<typeof testSinkRequest>;
export const testSinkRequestPage = pageOf(testSinkRequest).meta({ id: "TestSinkRequestPage" });

/** What a receiver gets. */
export const eventEnvelope = z
  .object({ id: idSchema("evt"), type: z.string(), created_at: timestamp, data: z.looseObject({}) })
  .meta({ id: "Event" });
