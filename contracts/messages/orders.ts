import { z } from "zod";
import {
  failure,
  orderStatus,
  paymentOrder,
  paymentOrderCreate,
  paymentOrderPage,
  paymentOrderQuery,
  paymentReturn,
} from "../http/payment-orders.ts";
import { timestamp } from "../http/shapes.ts";
import { idSchema } from "../ids.ts";
import { event, request } from "../message.ts";
import { amountCents, currency } from "../money.ts";
import { mode, orderDirection, rail, sealedAccountNumber } from "../rails.ts";

/** The body of POST /v1/payment-orders with the account number sealed at the edge. */
export const CreateOrder = request(
  "orders",
  "create-order",
  paymentOrderCreate
    .omit({ counterpartyAccountNumber: true })
    .extend({ counterpartyAccountNumber: sealedAccountNumber.optional() }),
  paymentOrder,
);

const byId = z.object({ id: z.string() });
export const GetOrder = request("orders", "get-order", byId, paymentOrder);
export const ListOrders = request("orders", "list-orders", paymentOrderQuery, paymentOrderPage);
export const SubmitOrder = request("orders", "submit-order", byId, paymentOrder);
export const ApproveOrder = request("orders", "approve-order", byId, paymentOrder);
export const CancelOrder = request(
  "orders",
  "cancel-order",
  byId.extend({ reason: z.string().optional() }),
  paymentOrder,
);

/**
 * Every status change, and a return attached after completion. `sequence` counts the order's own events from 1:
 * receivers order by it and see gaps. The fact's id is the public event id's uuid.
 */
export const OrderStatusChanged = event(
  "orders",
  "order-status-changed",
  z.object({
    orderId: idSchema("po"),
    mode,
    status: orderStatus,
    previousStatus: orderStatus,
    sequence: z.int32(),
    occurredAt: timestamp,
    rail,
    direction: orderDirection,
    amountCents,
    currency,
    externalId: z.string().nullable(),
    failure: failure.optional(),
    return: paymentReturn.optional(),
    late: z.boolean().optional(),
    cancelReason: z.string().optional(),
    approval: z.object({ required: z.int(), received: z.int() }).optional(),
  }),
);
