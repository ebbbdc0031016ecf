import type { OrderStatus } from "../../../contracts/http/payments/payment-order-parts.ts";

/** Statuses of an order that may still be handed off. */
export const beforeHandOff: ReadonlySet<OrderStatus> = new Set([
  "Draft",
  "Submitted",
  "Pending",
  "Processing",
]);
