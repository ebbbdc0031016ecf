import { z } from "zod";
import { apiVersion } from "../http/versions.ts";
import { webhookDiagnose, webhookDiagnosis } from "../http/webhooks/diagnosis.ts";
import {
  webhookEndpointTest,
  webhookSecretRotated,
  webhookSecrets,
} from "../http/webhooks/endpoint-secrets.ts";
import { timestamp } from "../http/shapes.ts";
import { webhookStatement, webhookStatementQuery } from "../http/webhooks/statement.ts";
import {
  testSink,
  testSinkCreate,
  testSinkPage,
  testSinkPatch,
  testSinkQuery,
  testSinkRequestPage,
  testSinkRequestQuery,
} from "../http/webhooks/test-sinks.ts";
import {
  deliveryStatus,
  webhookDelivery,
  webhookDeliveryPage,
  webhookDeliveryQuery,
  webhookEndpoint,
  webhookEndpointCreate,
  webhookEndpointCreated,
  webhookEndpointPage,
  webhookEndpointPatch,
  webhookEndpointQuery,
} from "../http/webhooks/webhooks.ts";
import { idSchema } from "../ids/ids.ts";
import { announcement, request } from "../message.ts";

const byId = z.object({ id: z.string() });
export const CreateWebhookEndpoint = request(
  "webhooks",
  "create-endpoint",
  // The API version of the call that created the endpoint. Its payloads keep that version's shape.
  webhookEndpointCreate.extend({ apiVersion: apiVersion.optional() }),
  webhookEndpointCreated,
);
export const GetWebhookEndpoint = request("webhooks", "get-endpoint", byId, webhookEndpoint);
export const ListWebhookEndpoints = request(
  "webhooks",
  "list-endpoints",
  webhookEndpointQuery,
  webhookEndpointPage,
);
export const UpdateWebhookEndpoint = request(
  "webhooks",
  "update-endpoint",
  byId.extend({ change: webhookEndpointPatch }),
  webhookEndpoint,
);
/** Nothing is sent to it any more. Its open deliveries end as Cancelled; all of them can still be read. */
export const DeleteWebhookEndpoint = request(
  "webhooks",
  "delete-endpoint",
  byId,
  z.object({ id: idSchema("we") }),
);
export const RotateWebhookSecret = request(
  "webhooks",
  "rotate-secret",
  byId.extend({ overlapHours: z.int() }),
  webhookSecretRotated,
);
export const RetireWebhookSecrets = request("webhooks", "retire-secrets", byId, webhookSecrets);
/** Sends a `test.event` to the endpoint alone. Answers with its delivery. */
export const TestWebhookEndpoint = request(
  "webhooks",
  "test-endpoint",
  byId.extend(webhookEndpointTest.shape),
  webhookDelivery,
);
export const ListDeliveries = request(
  "webhooks",
  "list-deliveries",
  webhookDeliveryQuery,
  webhookDeliveryPage,
);
/** The deliveries of what happened to one object, oldest first, for a timeline. */
export const ListDeliveriesOfObject = request(
  "webhooks",
  "list-deliveries-of-object",
  z.object({ objectId: z.string().max(64), limit: z.int().min(1).max(1_000) }),
  z.object({
    data: z.array(
      z.object({
        id: idSchema("wh"),
        eventId: idSchema("evt"),
        endpointId: idSchema("we"),
        eventType: z.string(),
        status: deliveryStatus,
        at: timestamp,
      }),
    ),
  }),
);
export const GetDelivery = request("webhooks", "get-delivery", byId, webhookDelivery);
/** Makes one more attempt now, with the same event id and the same bytes. */
export const RetryDelivery = request("webhooks", "retry-delivery", byId, webhookDelivery);
export const GetWebhookStatement = request(
  "webhooks",
  "get-statement",
  webhookStatementQuery,
  webhookStatement,
);
/** Reads only. */
export const DiagnoseWebhook = request("webhooks", "diagnose-webhook", webhookDiagnose, webhookDiagnosis);
export const CreateTestSink = request("webhooks", "create-test-sink", testSinkCreate, testSink);
export const ListTestSinks = request("webhooks", "list-test-sinks", testSinkQuery, testSinkPage);
export const GetTestSink = request("webhooks", "get-test-sink", byId, testSink);
export const UpdateTestSink = request(
  "webhooks",
  "update-test-sink",
  byId.extend({ change: testSinkPatch }),
  testSink,
);
const sinkId = z.object({ id: idSchema("sink") });
/** Its requests are deleted with it. */
export const DeleteTestSink = request("webhooks", "delete-test-sink", byId, sinkId);
/** Deletes what it has received. Numbers and script go on. */
export const ClearTestSink = request("webhooks", "clear-test-sink", byId, sinkId);
/** Waits at most `waitMs` for a first request; the gateway sends it again until its caller's time is over. */
export const ListTestSinkRequests = request(
  "webhooks",
  "list-test-sink-requests",
  z.object({
    id: z.string(),
    ...testSinkRequestQuery.omit({ wait: true }).shape,
    waitMs: z.int().min(0).optional(),
  }),
  testSinkRequestPage,
);

/**
 * Events or deliveries of the book were stored, deliveries were attempted, or a replay has come further: open screens
 * read again. `subject` is the book. Each instance tells it at most four times a second, each book once.
 */
export const DeliveriesChanged = announcement("webhooks", "deliveries-changed", z.object({}));
