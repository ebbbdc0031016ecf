/** What a receiver gets, by the version of the API that its endpoint was created on. */
import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { amountCents, currency } from "../../money.ts";
import { orderDirection, rail } from "../../rails/rails.ts";
import { inboundPayment } from "../ledger/inbound-payments.ts";
import { money } from "../money.ts";
import { failure, orderStatus, paymentReturn } from "../payments/payment-orders.ts";
import { timestamp } from "../shapes.ts";

const envelope = {
  id: idSchema("evt").meta({ description: "The same on every attempt and replay: de-duplicate by it." }),
  created_at: timestamp,
};
const orderEventTypes = z.enum([
  "payment_order.submitted",
  "payment_order.pending",
  "payment_order.processing",
  "payment_order.completed",
  "payment_order.failed",
  "payment_order.returned",
  "payment_order.cancelled",
]);
const beforeAmount = { id: idSchema("po"), status: orderStatus, rail };
const afterAmount = {
  direction: orderDirection,
  externalId: z.string().nullable(),
  previousStatus: orderStatus,
  sequence: z.int32().meta({ description: "Counts the order's events from 1, without gaps: order by it." }),
  occurredAt: timestamp,
  failure: failure.optional().meta({ description: "On payment_order.failed." }),
  return: paymentReturn.optional().meta({ description: "On payment_order.returned." }),
  late: z.boolean().optional().meta({ description: "The return came after completion." }),
  cancelReason: z.string().optional().meta({ description: "On payment_order.cancelled." }),
  approval: z
    .object({ required: z.int(), received: z.int() })
    .optional()
    .meta({ description: "On payment_order.pending, where approvals are needed." }),
};

export const paymentOrderEvent = z
  .object({
    ...envelope,
    type: orderEventTypes,
    data: z.object({ ...beforeAmount, amountCents, currency, ...afterAmount }),
  })
  .meta({ id: "PaymentOrderEvent" });

/** Version 2: the amount and its currency are one member. */
export const paymentOrderEventV2 = z
  .object({
    ...envelope,
    type: orderEventTypes,
    data: z.object({ ...beforeAmount, amount: money, ...afterAmount }),
  })
  .meta({ id: "PaymentOrderEventV2" });

export const fuelTaxEvent = z
  .object({
    ...envelope,
    type: z.enum(["fuel_tax.remittance_cleared", "fuel_tax.remittance_returned"]),
    data: z.object({
      obligationId: z.string(),
      reference: z.string(),
      jurisdiction: z.string().nullable(),
      period: z.string().nullable(),
      amountCents,
      paymentOrderId: idSchema("po"),
      occurredAt: timestamp,
      return: paymentReturn.optional().meta({ description: "On fuel_tax.remittance_returned." }),
    }),
  })
  .meta({ id: "FuelTaxEvent" });

/** The payment as it was when it came: an assignment later sends nothing. */
export const inboundPaymentEvent = z
  .object({
    ...envelope,
    type: z.literal("inbound_payment.received"),
    data: inboundPayment.omit({
      returnCode: true,
      accountNumberLast4: true,
      assignment: true,
      createdAt: true,
    }),
  })
  .meta({ id: "InboundPaymentEvent" });

export const testEvent = z
  .object({ ...envelope, type: z.literal("test.event"), data: z.looseObject({}) })
  .meta({ id: "TestEvent" });
