import { z } from "zod";
import { pageQuery } from "../http/shapes.ts";
import { apiVersion } from "../http/versions.ts";
import {
  testSink,
  testSinkCreate,
  testSinkRequestPage,
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
import { request } from "../message.ts";

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
export const ListDeliveries = request(
  "webhooks",
  "list-deliveries",
  webhookDeliveryQuery,
  webhookDeliveryPage,
);
export const GetDelivery = request("webhooks", "get-delivery", byId, webhookDelivery);
/** Makes one more attempt now, with the same event id and the same bytes. */
export const RetryDelivery = request("webhooks", "retry-delivery", byId, webhookDelivery);
export const CreateTestSink = request("webhooks", "create-test-sink", testSinkCreate, testSink);
export const ListTestSinkRequests = request(
  "webhooks",
  "list-test-sink-requests",
  z.object({ id: z.string(), ...pageQuery }),
  testSinkRequestPage,
);
