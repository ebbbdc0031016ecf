import { RemittanceCleared, RemittanceReturned } from "../../../contracts/messages/ledger-events.ts";
import type { Cause } from "../../platform/messages/message.ts";
import type { OutboxWriter } from "../../platform/outbox/outbox.ts";
import type { ObligationTransition } from "../book/obligation-history.ts";

/**
 * Says that a filed fuel tax return was paid, or that its payment came back. Of other obligations the order's own
 * events tell: these two are named after the tax.
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
