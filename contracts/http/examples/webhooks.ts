/** Webhook endpoints and deliveries, as the reference page shows them. A test holds each against its schema. */
import type { z } from "zod";
import type {
  webhookEndpointTest,
  webhookSecretRotate,
  webhookSecretRotated,
  webhookSecrets,
} from "../webhooks/endpoint-secrets.ts";
import type {
  webhookDelivery,
  webhookEndpoint,
  webhookEndpointCreate,
  webhookEndpointPatch,
} from "../webhooks/webhooks.ts";
import { at, ids } from "./ids.ts";

const endpoint = {
  id: ids.endpoint,
  url: "https://hooks.acme.example/quittance",
  eventTypes: ["payment_order.completed", "payment_order.failed"],
  description: null,
  metadata: {},
  apiVersion: "v1",
  status: "Enabled",
  maxAttempts: 5,
  backoffSeconds: [30, 300],
  ratePerSecond: null,
  disableAfterDays: 5,
  createdAt: at(0),
} satisfies z.output<typeof webhookEndpoint>;

/** As the delivery itself shows it. */
const delivery = {
  id: ids.delivery,
  eventId: ids.event,
  endpointId: ids.endpoint,
  eventType: "payment_order.completed",
  status: "Retrying",
  attemptCount: 1,
  nextAttemptAt: at(60_400),
  attempts: [
    {
      at: at(400),
      durationMs: 38,
      responseStatus: 503,
      responseBody: "down for a moment",
      error: null,
      errorClass: "Status",
      timings: { dnsMs: 4, connectMs: 9, tlsMs: 12, firstByteMs: 12, totalMs: 38 },
    },
  ],
  url: endpoint.url,
  payload: `{"id":"${ids.event}","type":"payment_order.completed","created_at":"${at(358)}","data":{"id":"${ids.order}"}}`,
  createdAt: at(358),
} satisfies z.output<typeof webhookDelivery>;

/** A list shows neither what was sent nor what the receiver answered. */
export const listedDelivery = {
  ...delivery,
  attempts: delivery.attempts.map((attempt) => ({ ...attempt, responseBody: null })),
  url: null,
  payload: null,
};

export const webhookExamples = {
  WebhookEndpointCreate: {
    url: "https://hooks.acme.example/quittance",
    eventTypes: ["payment_order.completed", "payment_order.failed"],
    maxAttempts: 5,
    backoffSeconds: [30, 300],
    disableAfterDays: 5,
  } satisfies z.input<typeof webhookEndpointCreate>,
  WebhookEndpointPatch: { url: "https://hooks.acme.example/payments", ratePerSecond: 20 } satisfies z.input<
    typeof webhookEndpointPatch
  >,
  WebhookEndpoint: endpoint,
  WebhookEndpointCreated: { ...endpoint, signingSecret: "whsec_shown-here-and-never-again" },
  WebhookSecretRotate: { overlapHours: 48 } satisfies z.input<typeof webhookSecretRotate>,
  WebhookSecretRotated: {
    endpointId: ids.endpoint,
    activeSecrets: [
      { createdAt: at(400), retiresAt: null },
      { createdAt: at(0), retiresAt: "2026-03-04T15:00:00.400Z" },
    ],
    signingSecret: "whsec_shown-here-and-never-again",
  } satisfies z.output<typeof webhookSecretRotated>,
  WebhookSecrets: {
    endpointId: ids.endpoint,
    activeSecrets: [{ createdAt: at(400), retiresAt: null }],
  } satisfies z.output<typeof webhookSecrets>,
  WebhookEndpointTest: { secret: "Newest" } satisfies z.input<typeof webhookEndpointTest>,
  WebhookDelivery: delivery,
};
