import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { metadata, pageOf, pageQuery, timestamp } from "../shapes.ts";
import { apiVersion } from "../versions.ts";

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
  "inbound_payment.received",
  "test.event",
] as const;
export const eventTypes = [...documentedEventTypes, ...additiveEventTypes] as const;
export type WebhookEventType = (typeof eventTypes)[number];

export const webhookEndpointCreate = z
  .strictObject({
    url: z.url().max(2048).meta({ description: "Https in Live; no private address." }),
    /** Omitted: the seven documented types. `["*"]`: every type. */
    eventTypes: z
      .array(z.enum(["*", ...eventTypes]))
      .min(1)
      .max(50)
      .optional(),
    description: z.string().max(255).optional().meta({ description: "For your own eyes." }),
    metadata: metadata.optional(),
  })
  .meta({ id: "WebhookEndpointCreate" });
export type WebhookEndpointCreate = z.infer<typeof webhookEndpointCreate>;

export const webhookEndpoint = z
  .object({
    id: idSchema("we"),
    url: z.string(),
    eventTypes: z
      .array(z.string())
      .meta({ description: "What it gets; `*` is every type, also those to come." }),
    description: z.string().nullable(),
    metadata,
    apiVersion: apiVersion.meta({
      description: "The version that it was created on; its events keep that version's shape.",
    }),
    status: z.enum(["Enabled", "Disabled"]).meta({ description: "Disabled: nothing is sent." }),
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
  responseStatus: z.int().nullable().meta({ description: "Null without an answer." }),
  responseBody: z.string().nullable().meta({ description: "The first 16 KiB; lists leave it out." }),
  error: z.string().nullable().meta({ description: "Why there was no answer." }),
});

export const webhookDelivery = z
  .object({
    id: idSchema("wh"),
    eventId: idSchema("evt").meta({
      description: "The same on every attempt and replay: de-duplicate by it.",
    }),
    endpointId: idSchema("we"),
    eventType: z.string(),
    status: deliveryStatus.meta({
      description: "DeadLettered: given up after the last attempt; retry it yourself.",
    }),
    attemptCount: z.int(),
    nextAttemptAt: timestamp.nullable().meta({ description: "Null when none is due." }),
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
    respond: z.array(z.int().min(200).max(599)).min(1).max(100).default([200]).meta({
      description: "Statuses to answer with, in turn; the last one repeats. Default: 200 for ever.",
    }),
    delayMs: z
      .int()
      .min(0)
      .max(30_000)
      .default(0)
      .meta({ description: "How long each answer is held back." }),
  })
  .meta({ id: "TestSinkCreate" });
export const testSink = z
  .object({
    id: idSchema("sink"),
    url: z.string().meta({ description: "Give it to a webhook endpoint." }),
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
    bodyBase64: z.string().meta({ description: "The raw bytes." }),
    verifiedByEndpointId: idSchema("we")
      .nullable()
      .meta({ description: "The endpoint whose secret verified `X-Service-Signature`." }),
    respondedStatus: z.int(),
  })
  .meta({ id: "TestSinkRequest" });
export type TestSinkRequest = z.infer<typeof testSinkRequest>;
export const testSinkRequestPage = pageOf(testSinkRequest).meta({ id: "TestSinkRequestPage" });

/** What a receiver gets. */
export const eventEnvelope = z
  .object({ id: idSchema("evt"), type: z.string(), created_at: timestamp, data: z.looseObject({}) })
  .meta({ id: "Event" });
