/** An order's history as text that a test can compare. */
import type { PaymentOrder } from "../../clients/typescript/types.gen.ts";
import type { Payer } from "./payer.ts";
import { until } from "../stack/until.ts";
import type { World } from "./world.ts";

/** The statuses of an order, from Draft on. */
export function statusesOf(order: PaymentOrder): string[] {
  return order.statusHistory.map(({ to }) => to);
}

/** The statuses of a successful payment. */
export const allStatuses = ["Draft", "Submitted", "Pending", "Processing", "Completed"];

/** The entries of an order on the payer's account, oldest first: `Hold: Debit 4000 Pending`. */
export async function linesOf(payer: Payer, orderId: string): Promise<string[]> {
  const entries = (await payer.entries()).filter(({ paymentOrderId }) => paymentOrderId === orderId);
  return entries
    .toReversed()
    .map(
      ({ kind, direction, amountCents, status }) => `${kind}: ${direction} ${String(amountCents)} ${status}`,
    );
}

/** Waits for so many events of an order at the receiver: `1 payment_order.submitted`. */
export async function receivedEventsOf(world: World, orderId: string, count: number): Promise<string[]> {
  const events = await until(`${String(count)} events of ${orderId}`, () => {
    const received = world.receiver.eventsOf(orderId);
    return received.length >= count ? received : undefined;
  });
  return events.map(({ type, data }) => `${String(data.sequence)} ${type}`);
}
