import { z } from "zod";
import { inboundPaymentStatus, inboundRail, inboundReason } from "../http/ledger/inbound-payments.ts";
import { paymentReturn } from "../http/payments/payment-order-parts.ts";
import { timestamp } from "../http/shapes.ts";
import { idSchema } from "../ids/ids.ts";
import { event } from "../message.ts";
import { amountCents, currency } from "../money.ts";
import { orderDirection } from "../rails/rails.ts";

/** The ledger booked an incoming payment or refused an incoming debit. One event per bank reference. */
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

/** An order paid a tax filing; the obligation's liability falls by the amount. */
export const RemittanceCleared = event("ledger", "remittance-cleared", z.object(remittance));

/** The bank returned the payment of a tax filing; the amount is outstanding. */
export const RemittanceReturned = event(
  "ledger",
  "remittance-returned",
  z.object({ ...remittance, return: paymentReturn }),
);
