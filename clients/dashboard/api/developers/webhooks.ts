import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import {
  cancelWebhookReplay,
  getEvent,
  getWebhook,
  listEvents,
  listWebhookReplays,
  listWebhooks,
  replayWebhooks,
  retryWebhook,
} from "../../../typescript/sdk.gen.ts";
import type { WebhookDelivery, WebhookReplay, WebhookReplayCreate } from "../../../typescript/types.gen.ts";
import type { DeliveryFilters } from "../../routes/webhooks/deliveries/filters.ts";
import type { EventFilters } from "../../routes/webhooks/events/filters.ts";
import { bodyOf } from "../client/call.ts";
import { useWrite } from "../client/write.ts";

const pageSize = 50;
/** A book has at most this many endpoints, so one page has every delivery of an event. */
const maxDeliveriesOfEvent = 100;

export function deliveriesQuery({ pages = [], since, ...filters }: DeliveryFilters) {
  const query = { ...filters, ...pageOf(pages, since) };
  return queryOptions({
    queryKey: ["webhooks", query],
    queryFn: () => bodyOf(listWebhooks({ query })),
  });
}

/** One page of deliveries, newest first. */
export function useDeliveries(filters: DeliveryFilters) {
  return useQuery({ ...deliveriesQuery(filters), placeholderData: keepPreviousData });
}

/** The deliveries of an event: one for each endpoint that got it. */
export function useDeliveriesOf(eventId: string) {
  const query = { eventId, limit: maxDeliveriesOfEvent };
  return useQuery({
    queryKey: ["webhooks", query],
    queryFn: async () => (await bodyOf(listWebhooks({ query }))).data,
  });
}

function pageOf(pages: readonly string[], since: string | undefined) {
  const cursor = pages.at(-1);
  return {
    limit: pageSize,
    ...(since === undefined ? {} : { "createdAt[gte]": since }),
    ...(cursor === undefined ? {} : { cursor }),
  };
}

/** True once nothing more is sent by itself. */
export function hasRested({ status }: WebhookDelivery): boolean {
  return status !== "Pending" && status !== "Retrying";
}

export function deliveryQuery(id: string) {
  return queryOptions({
    queryKey: ["webhook", id],
    queryFn: () => bodyOf(getWebhook({ path: { id } })),
  });
}

/** A delivery with its attempts. The stream announces what the receiver answers (live.ts). */
export function useDelivery(id: string) {
  return useQuery(deliveryQuery(id));
}

export function eventsQuery({ pages = [], since, ...filters }: EventFilters) {
  const query = { ...filters, ...pageOf(pages, since) };
  return queryOptions({
    queryKey: ["events", query],
    queryFn: () => bodyOf(listEvents({ query })),
  });
}

/** One page of events, newest first, also of those that no endpoint got. */
export function useEvents(filters: EventFilters) {
  return useQuery({ ...eventsQuery(filters), placeholderData: keepPreviousData });
}

/** What was sent. Events never change, and are deleted after 90 days. */
export function eventQuery(id: string) {
  return queryOptions({
    queryKey: ["event", id],
    queryFn: () => bodyOf(getEvent({ path: { id } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useEvent(id: string) {
  return useQuery(eventQuery(id));
}

export function useRetry(id: string) {
  return useWrite(`retry:${id}`, (_attempts: number, headers) =>
    bodyOf(retryWebhook({ path: { id }, headers })),
  );
}

export function useReplays() {
  return useQuery({
    queryKey: ["webhook-replays"],
    queryFn: async () => (await bodyOf(listWebhookReplays({ query: { limit: pageSize } }))).data,
  });
}

export function isRunning({ status }: WebhookReplay): boolean {
  return status === "Counted" || status === "Running";
}

/** Counts what a replay would send, or replays it. */
export function useReplay(form: "count-replay" | "replay") {
  return useWrite(form, (body: WebhookReplayCreate, headers) => bodyOf(replayWebhooks({ body, headers })));
}

export function useCancelReplay() {
  return useWrite("cancel-replay", (id: string, headers) =>
    bodyOf(cancelWebhookReplay({ path: { id }, headers })),
  );
}
