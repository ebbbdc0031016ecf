import { OrderApprovalRecorded, OrderStatusChanged } from "../../../contracts/messages/orders.ts";
import type { Cause } from "../../platform/messages/message.ts";
import type { OutboxWriter } from "../../platform/outbox/outbox.ts";
import { countingApprovals } from "../order/approvals.ts";
import { returnOf } from "../order/order-view.ts";
import type { PaymentOrder } from "../order/payment-order.ts";
import type { PublishedChange } from "../order/transition.ts";

/**
 * Puts the event of one status change into the outbox. It has the order as that change left it: later steps of the same
 * transaction may have changed it again.
 */
export function publishStatusChange(
  outbox: OutboxWriter,
  { order, previousStatus, at }: PublishedChange,
  cause?: Cause,
): void {
  const { terms } = order;
  const { approvals, ending } = order.progress;
  const returned = returnOf(order);
  outbox.add(OrderStatusChanged, {
    book: order.book,
    subject: order.id,
    sequence: order.sequence,
    ...(cause === undefined ? {} : { cause }),
    data: {
      orderId: order.id,
      mode: order.mode,
      status: order.status,
      previousStatus,
      sequence: order.sequence,
      occurredAt: at.toISOString(),
      rail: terms.rail,
      direction: terms.direction,
      amountCents: terms.amountCents,
      currency: terms.currency,
      externalId: terms.externalId,
      ...(order.status === "Failed" && ending.failure !== null ? { failure: ending.failure } : {}),
      ...(returned === null ? {} : { return: returned, late: returned.late }),
      ...(order.status === "Cancelled" && ending.cancelReason !== null
        ? { cancelReason: ending.cancelReason }
        : {}),
      ...(approvals.required > 0
        ? {
            approval: {
              required: approvals.required,
              received: countingApprovals(approvals).length,
            },
          }
        : {}),
    },
  });
}

/** Puts the event of one approval into the outbox, for an approval that did not change the status. */
export function publishApproval(outbox: OutboxWriter, order: PaymentOrder, cause: Cause): void {
  const { approvals } = order.progress;
  outbox.add(OrderApprovalRecorded, {
    book: order.book,
    subject: order.id,
    cause,
    data: { orderId: order.id, required: approvals.required, received: countingApprovals(approvals).length },
  });
}
