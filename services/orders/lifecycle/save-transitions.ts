import { OrderStatusChanged } from "../../../contracts/messages/orders.ts";
import type { Cause } from "../../platform/messages/message.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { addCommand } from "./compose-commands.ts";
import type { Transition } from "../order/transition.ts";
import { countingApprovals } from "../order/approvals.ts";
import { returnOf } from "../order/order-view.ts";
import type { PaymentOrder } from "../order/payment-order.ts";
import { updateUsage } from "../store/daily-usage.ts";
import { insertHistory, saveOrders } from "../store/payment-orders.ts";

/** An advance with what caused it. */
export interface Caused {
  readonly advance: Transition;
  readonly cause?: Cause | undefined;
}

/** Writes what orders became, and puts what they say into the outbox: one statement a table for the whole batch. */
export async function saveTransitions(unit: UnitOfWork, advances: readonly Caused[]): Promise<void> {
  const orders = advances.map(({ advance }) => advance.order);
  await Promise.all([saveOrders(unit.sql, orders), insertHistoryAndPublish(unit, advances)]);
}

/** The same for orders that were inserted just now. */
export async function insertHistoryAndPublish(unit: UnitOfWork, advances: readonly Caused[]): Promise<void> {
  await Promise.all([
    insertHistory(
      unit.sql,
      advances.flatMap(({ advance }) => advance.history.map((change) => ({ order: advance.order, change }))),
    ),
    updateUsage(
      unit.sql,
      advances.flatMap(({ advance }) => advance.usage),
    ),
  ]);
  for (const { advance, cause } of advances) {
    for (const command of advance.commands) addCommand(unit.outbox, command, advance.order, cause);
    for (const { order, previousStatus } of advance.events)
      publishStatusChange(unit, order, previousStatus, cause);
  }
}

function publishStatusChange(
  unit: UnitOfWork,
  order: PaymentOrder,
  previousStatus: PaymentOrder["status"],
  cause?: Cause,
): void {
  const { terms, progress } = order;
  const returned = returnOf(order);
  unit.outbox.add(OrderStatusChanged, {
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
      occurredAt: order.updatedAt.toISOString(),
      rail: terms.rail,
      direction: terms.direction,
      amountCents: terms.amountCents,
      currency: terms.currency,
      externalId: terms.externalId,
      ...(order.status === "Failed" && progress.failure !== null ? { failure: progress.failure } : {}),
      ...(returned === null ? {} : { return: returned, late: returned.late }),
      ...(order.status === "Cancelled" && progress.cancelReason !== null
        ? { cancelReason: progress.cancelReason }
        : {}),
      ...(progress.approvalsRequired > 0
        ? {
            approval: {
              required: progress.approvalsRequired,
              received: countingApprovals(progress).length,
            },
          }
        : {}),
    },
  });
}
