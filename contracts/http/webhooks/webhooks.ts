import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { namedEnum } from "../../named-enum.ts";
import { linesText } from "../../text/text.ts";
import {
  createdAt,
  createdAtFilters,
  mergePatch,
  metadata,
  metadataPatch,
  oneOrMany,
  pageOf,
  pageQuery,
  sentMetadata,
  timestamp,
} from "../shapes.ts";
import { apiVersion } from "../versions.ts";

const sentByDefault = {
  "payment_order.pending": "An order's money is held.",
  "payment_order.completed": "An order's money has moved.",
  "payment_order.failed": "An order failed.",
  "payment_order.returned": "The bank returned an order's money.",
  "payment_order.cancelled": "An order was cancelled.",
  "fuel_tax.remittance_cleared": "A fuel tax return was paid.",
  "fuel_tax.remittance_returned": "The payment of a fuel tax return came back.",
} as const;
const optIn = {
  "payment_order.submitted": "An order was submitted.",
  "payment_order.processing": "An order went to its rail.",
  "inbound_payment.received": "Money came in, or a collection was tried.",
  "counterparty.change_proposed": "A bank corrected the details of a counterparty.",
  "webhook_endpoint.disabled":
    "Another endpoint was disabled, because it had failed for its `disableAfterDays`.",
  "test.event": "You tested an endpoint. Sent to that endpoint alone, whatever its types.",
} as const;
/** One sentence for each event type. */
export const eventDescriptions = { ...sentByDefault, ...optIn } as const;
export type WebhookEventType = keyof typeof eventDescriptions;
/** The types of an endpoint that names none. Types that were added later are opt-in. */
export const defaultEventTypes: readonly WebhookEventType[] = Object.keys(
  sentByDefault,
) as WebhookEventType[];
export const eventTypes = Object.keys(eventDescriptions) as readonly WebhookEventType[];

const subscription = namedEnum("EventSubscription", "A type of event, or all of them.", {
  "*": "Every type, also those added later.",
  ...eventDescriptions,
});

const url = z
  .url()
  .max(2048)
  .meta({ description: "Where to send the events. A public https URL in Live mode." });
const subscriptions = z.array(subscription).min(1).max(50);
const note = linesText(255).meta({ description: "A note for yourself." });
/** How its deliveries are sent. Without them the service's own settings apply. */
const sending = {
  maxAttempts: z.int().min(1).max(10).meta({
    description:
      "How many requests are made until a delivery is dead-lettered, for events that happen from now on. Default: 3.",
  }),
  backoffSeconds: z
    .array(z.int().min(1).max(86_400))
    .min(1)
    .max(9)
    .meta({
      description:
        "The pauses in seconds: after the first failed attempt, after the second, and so on. The last one repeats. Default: 60, 300, 1800.",
      examples: [[60, 300, 1800]],
    }),
  ratePerSecond: z.int().min(1).max(1_000).meta({
    description:
      "How many requests each instance of the service starts within a second, at most. Default: no limit.",
  }),
};
const disableAfterDays = z.int().min(1).max(30).meta({
  description:
    "Disables the endpoint when so many days have passed since an attempt failed, and none has succeeded in between. Other endpoints get `webhook_endpoint.disabled`. Default: never.",
});

export const webhookEndpointCreate = z
  .strictObject({
    url,
    eventTypes: subscriptions.optional().meta({
      description: `The types of events to send. Default: ${defaultEventTypes.map((type) => `\`${type}\``).join(", ")}. \`*\`: every type.`,
    }),
    description: note.optional(),
    metadata: sentMetadata.optional(),
    maxAttempts: sending.maxAttempts.optional(),
    backoffSeconds: sending.backoffSeconds.optional(),
    ratePerSecond: sending.ratePerSecond.optional(),
    disableAfterDays: disableAfterDays.nullish(),
  })
  .meta({ id: "WebhookEndpointCreate", description: "A new webhook endpoint." });
export type WebhookEndpointCreate = z.infer<typeof webhookEndpointCreate>;

const endpointStatus = namedEnum("WebhookEndpointStatus", "Whether events are sent.", {
  Enabled: "Events are sent.",
  Disabled: "Nothing is sent. Open deliveries wait; new events make none.",
});
export type WebhookEndpointStatus = z.infer<typeof endpointStatus>;

/** The body of PATCH /v1/webhook-endpoints/:id, a JSON merge patch (RFC 7396) of at least one field. */
export const webhookEndpointPatch = mergePatch(
  z
    .strictObject({
      url: url.optional(),
      eventTypes: subscriptions.optional().meta({
        description: "The types of events to send, in place of the stored ones. `*`: every type.",
      }),
      description: note.nullish(),
      metadata: metadataPatch.nullish(),
      maxAttempts: sending.maxAttempts.nullish(),
      backoffSeconds: sending.backoffSeconds.nullish(),
      ratePerSecond: sending.ratePerSecond.nullish(),
      disableAfterDays: disableAfterDays.nullish(),
      status: endpointStatus.optional(),
    })
    .refine((patch) => Object.keys(patch).length > 0, {
      message: "has no field to change",
      params: { code: "missing_field" },
      // An unknown field alone is refused as such.
      when: ({ issues }) => issues.length === 0,
    })
    .meta({
      id: "WebhookEndpointPatch",
      description: "The fields to change, at least one. Null removes an optional field.",
    }),
);
export type WebhookEndpointPatch = z.infer<typeof webhookEndpointPatch>;

export const webhookEndpoint = z
  .object({
    id: idSchema("we"),
    url: z.string().meta({ description: "Where the events are sent." }),
    eventTypes: z
      .array(z.string())
      .meta({ description: "The types of events that are sent. `*`: every type, also those added later." }),
    description: z.string().nullable().meta({ description: "A note for yourself." }),
    metadata,
    apiVersion: apiVersion.meta({
      description: "The API version that created it. Its events keep that version's format.",
    }),
    status: endpointStatus,
    maxAttempts: z.int().nullable().default(null).meta({
      description: "How many requests are made until a delivery is dead-lettered. Null: 3.",
    }),
    backoffSeconds: z.array(z.int()).nullable().default(null).meta({
      description: "The pauses after each failed attempt, in seconds. Null: 60, 300, 1800.",
    }),
    ratePerSecond: z.int().nullable().default(null).meta({
      description: "How many requests each instance of the service starts within a second. Null: no limit.",
    }),
    disableAfterDays: z.int().nullable().default(null).meta({
      description: "After how many days without a successful attempt it is disabled. Null: never.",
    }),
    createdAt,
  })
  .meta({ id: "WebhookEndpoint", description: "A URL that receives your events, signed." });
export type WebhookEndpoint = z.infer<typeof webhookEndpoint>;
/** The answer to a creation, the only one that shows the secret (`whsec_` + base64). */
export const webhookEndpointCreated = webhookEndpoint
  .extend({
    signingSecret: z.string().meta({
      description:
        "The secret that signs every delivery, in the first answer only. When the request is repeated with its Idempotency-Key, it is masked: `whsec_…` and the last four characters. If you lost it, rotate it.",
    }),
  })
  .meta({ id: "WebhookEndpointCreated", description: "A new webhook endpoint, with its signing secret." });

export const webhookEndpointPage = pageOf(webhookEndpoint).meta({
  id: "WebhookEndpointPage",
  description: "One page of webhook endpoints.",
});
export const webhookEndpointQuery = z.strictObject({ ...pageQuery });

export const deliveryStatus = namedEnum("WebhookDeliveryStatus", "What became of the delivery.", {
  Pending: "Not tried yet.",
  Delivered: "The receiver acknowledged it with a 2xx.",
  Retrying: "An attempt failed, or you send it again by a retry or a replay. Another attempt follows.",
  DeadLettered: "The last attempt failed. Retry it yourself.",
  Cancelled: "The endpoint was deleted before the receiver acknowledged it.",
});

const errorClass = namedEnum("WebhookErrorClass", "Why an attempt failed.", {
  Dns: "The host name did not resolve.",
  Connect: "The host refused the connection, or can't be reached.",
  Tls: "The TLS handshake failed, for example because of an expired certificate or one of another host.",
  Timeout: "The answer took longer than 15 seconds.",
  Reset: "The connection ended before an answer, or what came was no HTTP.",
  Status: "The answer's status was neither a 2xx nor a redirect.",
  Redirect: "The answer was a redirect. Redirects are not followed.",
  TooLong: "The headers of the answer were longer than 16 KiB.",
  Unsafe: "The host has a private, loopback, link-local or reserved address.",
  Ours: "It failed on our side. It is not counted, and tried again after ten seconds.",
});
export type WebhookErrorClass = z.infer<typeof errorClass>;

const phaseMs = (description: string) => z.int().nullable().meta({ description });
const attemptTimings = z
  .object({
    dnsMs: phaseMs("Until the host name was resolved. Null for an address."),
    connectMs: phaseMs("From then until the host had accepted the connection."),
    tlsMs: phaseMs("From then until the TLS handshake was done. Null for `http`."),
    firstByteMs: phaseMs("From the request to the first byte of the answer."),
    totalMs: z.int().meta({ description: "All of it, the rest of the answer included." }),
  })
  .default({ dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 0 })
  .meta({
    description:
      "How long each part took, in milliseconds. Null for a part that did not end. A connection that is used again has no `dnsMs`, `connectMs` and `tlsMs`.",
  });

const attempt = z.object({
  at: timestamp.meta({ description: "When it was sent, in real time." }),
  durationMs: z.int().meta({ description: "How long it took, in milliseconds." }),
  responseStatus: z.int().nullable().meta({ description: "The receiver's status. Null without an answer." }),
  responseBody: z
    .string()
    .nullable()
    .meta({ description: "The first 16 KiB of the receiver's answer. Null in lists." }),
  error: z.string().nullable().meta({ description: "Why there was no answer." }),
  errorClass: errorClass
    .nullable()
    .default(null)
    .meta({ description: "Why it failed. Null for an acknowledged one." }),
  timings: attemptTimings,
});

export const webhookDelivery = z
  .object({
    id: idSchema("wh"),
    eventId: idSchema("evt").meta({
      description: "The event's id. The same on every attempt, so you can deduplicate by it.",
    }),
    endpointId: idSchema("we"),
    eventType: z.string().meta({ description: "The event's type." }),
    status: deliveryStatus,
    attemptCount: z.int().meta({ description: "How many attempts were made." }),
    nextAttemptAt: timestamp
      .nullable()
      .meta({ description: "When the next attempt is due, on the clock of a Test book that has one." }),
    attempts: z.array(attempt).meta({ description: "The attempts, oldest first." }),
    url: z
      .string()
      .nullable()
      .default(null)
      .meta({ description: "The endpoint's URL now: the next attempt goes there. Null in lists." }),
    payload: z.string().nullable().default(null).meta({
      description:
        "The body of every attempt, byte for byte: JSON. `X-Service-Signature` covers exactly these bytes. Null in lists.",
    }),
    createdAt,
  })
  .meta({ id: "WebhookDelivery", description: "One event on its way to one endpoint." });
export type WebhookDelivery = z.infer<typeof webhookDelivery>;
/** Lists leave out what was sent and answered: a message between services is at most 1 MiB. */
export const webhookDeliveryPage = pageOf(webhookDelivery).meta({
  id: "WebhookDeliveryPage",
  description: "One page of deliveries.",
});
export const webhookDeliveryQuery = z.strictObject({
  ...pageQuery,
  status: oneOrMany(deliveryStatus),
  eventType: oneOrMany(
    z
      .string()
      .max(100)
      .meta({ examples: ["payment_order.completed"] }),
    "The event's type.",
  ),
  endpointId: oneOrMany(idSchema("we")),
  eventId: oneOrMany(idSchema("evt")),
  objectId: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .meta({
      description: "What the events are about, such as a payment order.",
      examples: ["po_01jd3k5s8ye9v8z2r0q3m7n4xa"],
    }),
  ...createdAtFilters,
});

/** The body that a receiver gets. */
export const eventEnvelope = z
  .object({ id: idSchema("evt"), type: z.string(), created_at: timestamp, data: z.looseObject({}) })
  .meta({ id: "Event" });
