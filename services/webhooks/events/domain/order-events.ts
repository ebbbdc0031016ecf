import type { z } from "zod";
import type { ApiVersion } from "../../../../contracts/http/versions.ts";
import type { WebhookEventType } from "../../../../contracts/http/webhooks/webhooks.ts";
import type { OrderStatusChanged } from "../../../../contracts/messages/orders.ts";

export type OrderChange = z.output<typeof OrderStatusChanged.data>;

/**
 * The public event type of a status change, or null for Draft. A return after completion leaves the status Completed
 * and is `payment_order.returned` with `data.late`.
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

/**
 * The `data` of an order's event. Version 2 has amount and currency in one member. Keep the order of the members:
 * receivers may compare the bytes of new events with earlier ones.
 */
export function orderData(change: OrderChange, version: ApiVersion): object {
  const { amountCents, currency } = change;
  return {
    id: change.orderId,
    status: change.status,
    rail: change.rail,
    ...(version === "v1" ? { amountCents, currency } : { amount: { cents: amountCents, currency } }),
    direction: change.direction,
    externalId: change.externalId,
    previousStatus: change.previousStatus,
    sequence: change.sequence,
    occurredAt: change.occurredAt,
    // JSON omits undefined members, so these appear only where they apply.
    failure: change.failure,
    return: change.return,
    late: change.late,
    cancelReason: change.cancelReason,
    approval: change.approval,
  };
}
