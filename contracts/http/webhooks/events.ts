/** What a receiver gets, by the version of the API that its endpoint was created on. */
import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { amountCents, currency } from "../../money.ts";
import { namedEnum } from "../../named-enum.ts";
import { orderDirection, rail } from "../../rails/rails.ts";
import { inboundPayment } from "../ledger/inbound-payments.ts";
import { money } from "../money.ts";
import { failure, orderStatus, paymentReturn } from "../payments/payment-order-parts.ts";
import { proposedChange } from "../payments/proposed-changes.ts";
import { storedExternalId, timestamp } from "../shapes.ts";
import type { ApiVersion } from "../versions.ts";
import { eventDescriptions, type WebhookEventType } from "./webhooks.ts";

const envelope = {
  id: idSchema("evt").meta({
    description: "The event's id. The same on every attempt, so you can deduplicate by it.",
  }),
  created_at: timestamp.meta({ description: "When the event was created." }),
};
const {
  "fuel_tax.remittance_cleared": cleared,
  "fuel_tax.remittance_returned": returned,
  "inbound_payment.received": received,
  "counterparty.change_proposed": changeProposed,
  "webhook_endpoint.disabled": disabled,
  "test.event": tested,
  ...orderDescriptions
} = eventDescriptions;
const orderEventTypes = namedEnum("PaymentOrderEventType", "What happened to the order.", orderDescriptions);
const occurredAt = timestamp.meta({ description: "When it happened." });
const beforeAmount = { id: idSchema("po"), status: orderStatus, rail };
const afterAmount = {
  direction: orderDirection,
  externalId: storedExternalId,
  previousStatus: orderStatus.meta({ description: "The status before." }),
  sequence: z.int32().meta({
    description:
      "Counts the order's events from 1, also those of types that the endpoint does not get. Sort by it.",
  }),
  occurredAt,
  failure: failure.optional().meta({ description: "Why it failed, on payment_order.failed." }),
  return: paymentReturn.optional().meta({ description: "The return, on payment_order.returned." }),
  late: z.boolean().optional().meta({ description: "True if the return came after completion." }),
  cancelReason: z.string().optional().meta({ description: "Why, on payment_order.cancelled." }),
  approval: z
    .object({
      required: z.int().meta({ description: "How many approvals it needs." }),
      received: z.int().meta({ description: "How many approvals it has." }),
    })
    .optional()
    .meta({ description: "On every event of an order that needs approvals." }),
};
const orderData = "The order after the event.";

export const paymentOrderEvent = z
  .object({
    ...envelope,
    type: orderEventTypes,
    data: z
      .object({ ...beforeAmount, amountCents, currency, ...afterAmount })
      .meta({ description: orderData }),
  })
  .meta({ id: "PaymentOrderEvent", description: "Something happened to a payment order." });

/** Version 2: the amount and its currency are one member. */
export const paymentOrderEventV2 = z
  .object({
    ...envelope,
    type: orderEventTypes,
    data: z.object({ ...beforeAmount, amount: money, ...afterAmount }).meta({ description: orderData }),
  })
  .meta({ id: "PaymentOrderEventV2", description: "Something happened to a payment order." });

export const fuelTaxEvent = z
  .object({
    ...envelope,
    type: namedEnum("FuelTaxEventType", "What happened to the payment of a fuel tax return.", {
      "fuel_tax.remittance_cleared": cleared,
      "fuel_tax.remittance_returned": returned,
    }),
    data: z
      .object({
        obligationId: z.string().meta({ description: "The obligation's id." }),
        reference: z.string().meta({ description: "Your name for the obligation." }),
        jurisdiction: z.string().nullable().meta({ description: "Who the tax is owed to." }),
        period: z.string().nullable().meta({ description: "The period that it covers." }),
        amountCents,
        paymentOrderId: idSchema("po"),
        occurredAt,
        return: paymentReturn
          .optional()
          .meta({ description: "The return, on fuel_tax.remittance_returned." }),
      })
      .meta({ description: "The obligation and its payment." }),
  })
  .meta({ id: "FuelTaxEvent", description: "A fuel tax return was paid, or its payment came back." });

const inboundEventType = z.literal("inbound_payment.received").meta({
  id: "InboundPaymentEventType",
  description: "The type of the event.",
  "x-enumDescriptions": { "inbound_payment.received": received },
});
/** The payment as it was when it came: an assignment later sends nothing. */
export const inboundPaymentEvent = z
  .object({
    ...envelope,
    type: inboundEventType,
    data: inboundPayment
      .omit({
        returnCode: true,
        accountNumber: true,
        accountNumberLast4: true,
        proposedAssignment: true,
        assignment: true,
        createdAt: true,
      })
      .meta({ description: "The payment when it came in. A later assignment sends no event." }),
  })
  .meta({ id: "InboundPaymentEvent", description: "Money came in, or a collection was tried." });

const changeEventType = z.literal("counterparty.change_proposed").meta({
  id: "CounterpartyEventType",
  description: "The type of the event.",
  "x-enumDescriptions": { "counterparty.change_proposed": changeProposed },
});
/** The proposal as it was made: a decision later sends nothing. */
export const counterpartyEvent = z
  .object({
    ...envelope,
    type: changeEventType,
    data: proposedChange
      .omit({ status: true, decidedBy: true, decidedAt: true })
      .meta({ description: "The proposed change. A later decision sends no event." }),
  })
  .meta({ id: "CounterpartyEvent", description: "A bank corrected the details of a counterparty." });

const disabledEventType = z.literal("webhook_endpoint.disabled").meta({
  id: "WebhookEndpointEventType",
  description: "The type of the event.",
  "x-enumDescriptions": { "webhook_endpoint.disabled": disabled },
});
/** Not the whole URL: its path or query may be known to that receiver alone. */
export const endpointEvent = z
  .object({
    ...envelope,
    type: disabledEventType,
    data: z
      .object({
        id: idSchema("we"),
        host: z.string().meta({ description: "The host of its URL, with the port if it names one." }),
        disableAfterDays: z.int().meta({ description: "For how many days it had failed." }),
        failingSince: timestamp.meta({
          description: "When the first attempt failed that none has succeeded after.",
        }),
        occurredAt,
      })
      .meta({ description: "The endpoint that was disabled." }),
  })
  .meta({ id: "WebhookEndpointEvent", description: "A webhook endpoint was disabled." });

const testEventType = z.literal("test.event").meta({
  id: "TestEventType",
  description: "The type of the event.",
  "x-enumDescriptions": { "test.event": tested },
});
export const testEvent = z
  .object({
    ...envelope,
    type: testEventType,
    data: z.looseObject({}).meta({ description: "Empty." }),
  })
  .meta({ id: "TestEvent", description: "A test event." });

/** The body of an event of this type, as endpoints of a version receive it. */
export function eventBodyOf(type: WebhookEventType, version: ApiVersion): z.ZodObject {
  if (type === "test.event") return testEvent;
  if (type.startsWith("fuel_tax.")) return fuelTaxEvent;
  if (type === "inbound_payment.received") return inboundPaymentEvent;
  if (type === "counterparty.change_proposed") return counterpartyEvent;
  if (type === "webhook_endpoint.disabled") return endpointEvent;
  return version === "v1" ? paymentOrderEvent : paymentOrderEventV2;
}
