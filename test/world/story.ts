/** An order's life in words that a test can write down. */
import type { PaymentOrder } from "../../clients/typescript/types.gen.ts";
import type { Payer } from "./payer.ts";
import { until } from "../stack/until.ts";
import type { World } from "./world.ts";

/** The statuses that it went through, from its Draft on. */
export function wayOf(order: PaymentOrder): string[] {
  return order.statusHistory.map(({ to }) => to);
}

/** Every way that a payment can go well. */
export const wholeWay = ["Draft", "Submitted", "Pending", "Processing", "Completed"];

/** What the ledger wrote on the payer's account for an order, oldest first: `Hold: Debit 4000 Pending`. */
export async function linesOf(payer: Payer, orderId: string): Promise<string[]> {
  const entries = (await payer.entries()).filter(({ paymentOrderId }) => paymentOrderId === orderId);
  return entries
    .toReversed()
    .map(
      ({ kind, direction, amountCents, status }) => `${kind}: ${direction} ${String(amountCents)} ${status}`,
    );
}

/** What the owner was told of an order, as soon as it was told so much: `1 payment_order.submitted`. */
export async function toldOf(world: World, orderId: string, events: number): Promise<string[]> {
  const told = await until(`${String(events)} events of ${orderId}`, () => {
    const heard = world.receiver.eventsOf(orderId);
    return heard.length >= events ? heard : undefined;
  });
  return told.map(({ type, data }) => `${String(data.sequence)} ${type}`);
}
