import { RemittanceCleared, RemittanceReturned } from "../../../contracts/messages/obligations.ts";
import type { Cause } from "../../platform/messages/message.ts";
import type { OutboxWriter } from "../../platform/outbox/outbox.ts";
import type { ObligationTransition } from "../book/obligation-history.ts";

/**
 * Publishes that a filed fuel tax return was paid, or that its payment was returned. For other obligation types the
 * order's own events are enough: these two events are specific to the tax.
 */
export function publishRemittanceEvent(
  outbox: OutboxWriter,
  { after: obligation, event, returned }: ObligationTransition,
  cause: Cause,
): void {
  if (obligation.type !== "FuelTaxReturn" || event.orderId === null) return;
  const about = { book: obligation.book, subject: obligation.id, cause };
  const data = {
    obligationId: obligation.id,
    reference: obligation.reference,
    jurisdiction: obligation.jurisdiction,
    period: obligation.period,
    amountCents: event.amountCents,
    paymentOrderId: event.orderId,
    occurredAt: event.at,
  };
  if (event.kind === "Cleared") outbox.add(RemittanceCleared, { ...about, data });
  if (event.kind === "Returned" && returned !== undefined) {
    outbox.add(RemittanceReturned, { ...about, data: { ...data, return: returned } });
  }
}
