import type { z } from "zod";
import type { ApiVersion } from "../../../contracts/http/versions.ts";
import type { WebhookEventType } from "../../../contracts/http/webhooks.ts";
import type { EventId } from "../../../contracts/ids.ts";
import type { OrderStatusChanged } from "../../../contracts/messages/orders.ts";

export type OrderChange = z.output<typeof OrderStatusChanged.data>;

/** A public event: what its owner can be told about, whoever renders it and however often. */
export interface WebhookEvent {
  readonly id: EventId;
  readonly type: WebhookEventType;
  readonly change: OrderChange;
}

/**
 * The public type of a change, or null for one that nobody is told about. A return after completion leaves the status
 * Completed and is `payment_order.returned` all the same (with `data.late`).
 */
export function eventTypeOf(change: OrderChange): WebhookEventType | null {
  if (change.late === true) return "payment_order.returned";
  switch (change.status) {
    case "Draft":
      return null;
    case "Submitted":
      return "payment_order.submitted";
    case "Pending":
      return "payment_order.pending";
    case "Processing":
      return "payment_order.processing";
    case "Completed":
      return "payment_order.completed";
    case "Failed":
      return "payment_order.failed";
    case "Returned":
      return "payment_order.returned";
    case "Cancelled":
      return "payment_order.cancelled";
  }
}

const renderers: Readonly<Record<ApiVersion, (event: WebhookEvent) => object>> = {
  v1: renderV1,
  v2: renderV2,
};

/**
 * The body of an event in a version. Called once per (event, version): what it returns is stored, and every attempt,
 * retry and replay sends those bytes.
 */
export function render(event: WebhookEvent, apiVersion: ApiVersion): string {
  return JSON.stringify(renderers[apiVersion](event));
}

function renderV1(event: WebhookEvent): object {
  const { amountCents, currency } = event.change;
  return envelope(event, { amountCents, currency });
}

/** The amount and its currency are one member. */
function renderV2(event: WebhookEvent): object {
  const { amountCents, currency } = event.change;
  return envelope(event, { amount: { cents: amountCents, currency } });
}

/** What every version has alike. The order of the members is part of the bytes that receivers have seen. */
function envelope({ id, type, change }: WebhookEvent, amount: object): object {
  return {
    id,
    type,
    created_at: change.occurredAt,
    data: {
      id: change.orderId,
      status: change.status,
      rail: change.rail,
      ...amount,
      direction: change.direction,
      externalId: change.externalId,
      previousStatus: change.previousStatus,
      sequence: change.sequence,
      occurredAt: change.occurredAt,
      // JSON leaves out what is undefined: these stand only where they apply.
      failure: change.failure,
      return: change.return,
      late: change.late,
      cancelReason: change.cancelReason,
      approval: change.approval,
    },
  };
}
