import type { ApiVersion } from "../../../../contracts/http/versions.ts";
import type { WebhookEventType } from "../../../../contracts/http/webhooks/webhooks.ts";
import { type OrderChange, orderData } from "./order-events.ts";

/** An event as it is stored: without the message that it was made from. */
export interface RestoredEvent {
  readonly type: WebhookEventType;
  readonly objectId: string;
  readonly sequence: number;
  readonly payload: Readonly<Record<string, unknown>>;
  /** When the event was stored. */
  readonly createdAt: Date;
}

/** When it happened, on the clock of its book: `created_at` in the event's body. */
export function occurredAtOf({ payload, createdAt }: RestoredEvent): string {
  const at = payload["occurredAt"] ?? payload["receivedAt"];
  return typeof at === "string" ? at : createdAt.toISOString();
}

/** The `data` of a stored event in a version of the API: the same that `PublicEvent.dataFor` makes of the message. */
export function dataOf({ type, objectId, sequence, payload }: RestoredEvent, version: ApiVersion): object {
  if (type.startsWith("payment_order.")) {
    // `mode` is the book's, and not in the data.
    const change = { ...payload, orderId: objectId, sequence, mode: "Test" } as unknown as OrderChange;
    return orderData(change, version);
  }
  if (type.startsWith("fuel_tax.")) return { obligationId: objectId, ...payload };
  if (type === "inbound_payment.received" || type === "webhook_endpoint.disabled")
    return { id: objectId, ...payload };
  if (type === "counterparty.change_proposed") {
    const { id, ...rest } = payload;
    return { id, counterpartyId: objectId, ...rest };
  }
  // Its payload has the time alone, which the body has as `created_at`.
  if (type === "test.event") return {};
  return payload;
}
