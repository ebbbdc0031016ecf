import { z } from "zod";
import { inboundPaymentStatus, inboundRail, inboundReason } from "../http/ledger/inbound-payments.ts";
import { paymentReturn } from "../http/payments/payment-orders.ts";
import { timestamp } from "../http/shapes.ts";
import { idSchema } from "../ids/ids.ts";
import { event } from "../message.ts";
import { amountCents, currency } from "../money.ts";
import { orderDirection } from "../rails/rails.ts";

/** Money came in, or somebody tried to take some. Once for each reference of the bank. */
export const InboundPaymentReceived = event(
  "ledger",
  "inbound-payment-received",
  z.object({
    inboundPaymentId: idSchema("ip"),
    status: inboundPaymentStatus,
    reason: inboundReason.nullable(),
    virtualAccountId: idSchema("va").nullable(),
    ledgerAccountId: idSchema("la").nullable(),
    ledgerTransactionId: idSchema("lt").nullable(),
    rail: inboundRail,
    direction: orderDirection,
    amountCents,
    currency,
    originatorName: z.string(),
    bankReference: z.string(),
    occurredAt: timestamp,
  }),
);

const remittance = {
  obligationId: idSchema("ob"),
  reference: z.string(),
  jurisdiction: z.string().nullable(),
  period: z.string().nullable(),
  amountCents,
  paymentOrderId: idSchema("po"),
  occurredAt: timestamp,
};

/** A filed return was paid: its liability is relieved by as much. */
export const RemittanceCleared = event("ledger", "remittance-cleared", z.object(remittance));

/** A payment of a filed return came back: it is owed again. */
export const RemittanceReturned = event(
  "ledger",
  "remittance-returned",
  z.object({ ...remittance, return: paymentReturn }),
);
