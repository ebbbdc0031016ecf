import { idOf, uuidOf } from "../../../contracts/ids/ids.ts";
import { InboundPaymentReceived } from "../../../contracts/messages/inbound.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import type { Cause } from "../../platform/messages/message.ts";
import type { NewInboundPayment } from "./store/inbound-payments.ts";

/** Publishes the event of a new payment to the tenant. */
export function publishPayment(unit: UnitOfWork, payment: NewInboundPayment, cause: Cause): void {
  const { id, book, sequence } = payment;
  const data = {
    inboundPaymentId: id,
    status: payment.status,
    reason: payment.reason,
    virtualAccountId: payment.virtualAccountId,
    ledgerAccountId: payment.ledgerAccountId,
    ledgerTransactionId: sequence === null ? null : idOf("lt", uuidOf(id)),
    rail: payment.rail,
    direction: payment.direction,
    amountCents: payment.amountCents,
    currency: "USD" as const,
    originatorName: payment.originatorName,
    bankReference: payment.bankReference,
    returnsPaymentOrderId: payment.returnsPaymentOrderId,
    unmatchedReturn: payment.unmatchedReturn,
    occurredAt: payment.occurredAt,
  };
  unit.outbox.add(InboundPaymentReceived, { book, subject: id, data, cause });
}
