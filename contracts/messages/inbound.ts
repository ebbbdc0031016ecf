import { z } from "zod";
import {
  inboundPayment,
  inboundPaymentAssign,
  inboundPaymentPage,
  inboundPaymentQuery,
  inboundPaymentStatus,
  inboundRail,
  inboundReason,
  inboundSimulation,
  inboundSimulationResult,
  unmatchedReturn,
} from "../http/ledger/inbound-payments.ts";
import { timestamp } from "../http/shapes.ts";
import { idSchema } from "../ids/ids.ts";
import { event, notification, request } from "../message.ts";
import { amountCents, currency } from "../money.ts";
import { mode, orderDirection, encryptedAccountNumber } from "../rails/rails.ts";
import { rightsOfCaller } from "./ledger-transactions.ts";

/**
 * A bank reports an incoming payment, or an attempt to debit one of the book's numbers. The ledger resolves the number
 * to an account. The bank may report it again: (book, bankReference) is one payment.
 */
export const InboundReceived = event(
  "rails",
  "inbound-received",
  z.object({
    tenantId: idSchema("ten"),
    mode,
    // The transaction hash of a USDC payment has 66 characters.
    bankReference: z.string().min(1).max(100),
    rail: inboundRail,
    direction: orderDirection,
    amountCents,
    currency,
    originatorName: z.string(),
    accountNumber: encryptedAccountNumber,
    occurredAt: timestamp,
  }),
);

/**
 * The ledger booked an incoming payment or refused an incoming debit. One event per bank reference. Webhooks sends all
 * its fields to tenants.
 */
export const InboundPaymentReceived = notification(
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
    // Events of before these fields have none.
    returnsPaymentOrderId: idSchema("po").nullable().default(null),
    unmatchedReturn: unmatchedReturn.nullable().default(null),
    occurredAt: timestamp,
  }),
);

/** The ledger booked a payment of an order that its receiver sent back. The order shows it. */
export const SentBackPosted = event(
  "ledger",
  "sent-back-posted",
  z.object({
    orderId: idSchema("po"),
    inboundPaymentId: idSchema("ip"),
    /** True in the answer to `ReleaseHold`: because of this payment, the ledger has not released the hold. */
    isHoldKept: z.boolean().default(false),
  }),
);

/** A tester simulates an incoming payment (Test books only). */
export const SimulateInbound = request(
  "rails",
  "simulate-inbound",
  inboundSimulation
    .omit({ virtualAccountNumber: true })
    .extend({ direction: orderDirection, accountNumber: encryptedAccountNumber }),
  inboundSimulationResult,
);

const byId = z.object({ id: z.string() });

export const GetInboundPayment = request("ledger", "get-inbound-payment", byId, inboundPayment);
export const ListInboundPayments = request(
  "ledger",
  "list-inbound-payments",
  inboundPaymentQuery,
  inboundPaymentPage,
);
/** Those of exactly this amount, newest first. For the search. */
export const FindInboundPaymentsByAmount = request(
  "ledger",
  "find-inbound-payments-by-amount",
  z.object({ amountCents, limit: z.int().min(1).max(100) }),
  z.object({ data: z.array(inboundPayment) }),
);
export const AssignInboundPayment = request(
  "ledger",
  "assign-inbound-payment",
  byId.extend({
    assignment: inboundPaymentAssign,
    ...rightsOfCaller,
  }),
  inboundPayment,
);
