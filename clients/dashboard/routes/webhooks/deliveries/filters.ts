import type { WebhookDeliveryStatus } from "../../../../typescript/types.gen.ts";
import { type PagesOnly, readPages, readText, readTime } from "../../../parts/page/read-search.ts";

/** The filters of the list of deliveries as they stand in its address. */
export interface DeliveryFilters extends PagesOnly {
  readonly status?: WebhookDeliveryStatus | undefined;
  readonly eventType?: string | undefined;
  readonly endpointId?: string | undefined;
  /** What the events are about, such as a payment order. */
  readonly objectId?: string | undefined;
  /** Created at or after this time. */
  readonly since?: string | undefined;
}

export const statuses = [
  "Pending",
  "Retrying",
  "Delivered",
  "DeadLettered",
  "Cancelled",
] as const satisfies readonly WebhookDeliveryStatus[];

/** Reads the address by hand: what a reader may have typed there is checked value by value. */
export function readDeliveryFilters(search: Record<string, unknown>): DeliveryFilters {
  const { status, eventType, endpointId, objectId, since } = search;
  return {
    status: statuses.find((one) => one === status),
    eventType: readText(eventType),
    endpointId: readText(endpointId),
    objectId: readText(objectId),
    since: readTime(since),
    ...readPages(search),
  };
}
