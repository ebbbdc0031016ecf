import { keepPreviousData, useQuery } from "@tanstack/react-query";
import {
  cancelWebhookReplay,
  getEvent,
  getWebhook,
  listWebhookReplays,
  listWebhooks,
  replayWebhooks,
  retryWebhook,
} from "../../typescript/sdk.gen.ts";
import type { WebhookDelivery, WebhookReplay, WebhookReplayCreate } from "../../typescript/types.gen.ts";
import type { DeliveryFilters } from "../routes/webhooks/filters.ts";
import { bodyOf } from "./call.ts";
import { useWrite } from "./write.ts";

const pageSize = 50;
/** The stream does not report what receivers answer, so the page reads it again this often. */
const refetchInterval = 5_000;

/** One page of deliveries, newest first. */
export function useDeliveries({ pages = [], since, ...filters }: DeliveryFilters) {
  const cursor = pages.at(-1);
  const query = {
    ...filters,
    limit: pageSize,
    ...(since === undefined ? {} : { "createdAt[gte]": since }),
    ...(cursor === undefined ? {} : { cursor }),
  };
  return useQuery({
    queryKey: ["webhooks", query],
    queryFn: () => bodyOf(listWebhooks({ query })),
    placeholderData: keepPreviousData,
    refetchInterval,
  });
}

/** True once nothing more is sent by itself. */
export function hasRested({ status }: WebhookDelivery): boolean {
  return status !== "Pending" && status !== "Retrying";
}

/** A delivery with its attempts; read again each second while an attempt is due. */
export function useDelivery(id: string) {
  return useQuery({
    queryKey: ["webhook", id],
    queryFn: () => bodyOf(getWebhook({ path: { id } })),
    refetchInterval: ({ state: { data } }) => (data !== undefined && !hasRested(data) ? 1_000 : false),
  });
}

/** What was sent. Events are deleted after 90 days. */
export function useEvent(id: string) {
  return useQuery({
    queryKey: ["event", id],
    queryFn: () => bodyOf(getEvent({ path: { id } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
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
    refetchInterval: ({ state: { data } }) => (data?.some(isRunning) ? 1_000 : false),
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
