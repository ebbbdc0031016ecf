import { useQuery } from "@tanstack/react-query";
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  getWebhookStatement,
  listWebhookEndpoints,
  retirePreviousWebhookSecret,
  rotateWebhookSecret,
  testWebhookEndpoint,
  updateWebhookEndpoint,
} from "../../../typescript/sdk.gen.ts";
import type {
  WebhookEndpointCreate,
  WebhookEndpointPatch,
  WebhookEndpointTest,
  WebhookSecretRotate,
} from "../../../typescript/types.gen.ts";
import { bodyOf } from "../client/call.ts";
import { useConfirmed } from "../client/confirmed.ts";
import { useWrite } from "../client/write.ts";

/** A book has at most 100. */
const limit = 100;

export function useEndpoints() {
  return useQuery({
    queryKey: ["webhook-endpoints"],
    queryFn: async () => (await bodyOf(listWebhookEndpoints({ query: { limit } }))).data,
  });
}

/** How many deliveries each endpoint got on this UTC day. */
export function useDayOfEndpoints(date: string) {
  return useQuery({
    queryKey: ["webhook-statement", date],
    queryFn: async () => {
      const { data } = await bodyOf(getWebhookStatement({ query: { date, limit } }));
      return new Map(data.map((line) => [line.endpointId, line]));
    },
  });
}

export function useEndpoint(id: string) {
  return useQuery({
    queryKey: ["webhook-endpoint", id],
    queryFn: () => bodyOf(getWebhookEndpoint({ path: { id } })),
  });
}

export function useCreateEndpoint() {
  return useConfirmed({
    about: (body: WebhookEndpointCreate) => ({ operation: "createWebhookEndpoint", body }),
    send: (body, headers) => bodyOf(createWebhookEndpoint({ body, headers })),
  });
}

export function useUpdateEndpoint(id: string) {
  return useConfirmed({
    about: (body: WebhookEndpointPatch) => ({ operation: "updateWebhookEndpoint", ids: [id], body }),
    send: (body, headers) => bodyOf(updateWebhookEndpoint({ path: { id }, body, headers })),
  });
}

/**
 * Only stops something, so it needs no passkey. Its keys have the name of the other updates, so that a success of
 * either ends the keys of both.
 */
export function usePauseEndpoint(id: string) {
  return useWrite(`updateWebhookEndpoint:${id}`, (body: { status: "Disabled" }, headers) =>
    bodyOf(updateWebhookEndpoint({ path: { id }, body, headers })),
  );
}

export function useRotateSecret(id: string) {
  return useConfirmed({
    about: (body: WebhookSecretRotate) => ({ operation: "rotateWebhookSecret", ids: [id], body }),
    send: (body, headers) => bodyOf(rotateWebhookSecret({ path: { id }, body, headers })),
  });
}

export function useRetireSecret(id: string) {
  return useWrite(`retire-secret:${id}`, (body: Record<string, never>, headers) =>
    bodyOf(retirePreviousWebhookSecret({ path: { id }, body, headers })),
  );
}

export function useTestEndpoint(id: string) {
  return useWrite(`test-endpoint:${id}`, (body: WebhookEndpointTest, headers) =>
    bodyOf(testWebhookEndpoint({ path: { id }, body, headers })),
  );
}

export function useDeleteEndpoint(id: string) {
  return useWrite(`delete-endpoint:${id}`, (_url: string, headers) =>
    bodyOf(deleteWebhookEndpoint({ path: { id }, headers })),
  );
}
