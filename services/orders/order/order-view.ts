import type { PaymentOrder as PaymentOrderView } from "../../../contracts/http/payments/payment-orders.ts";
import { maskedAccountNumber } from "../../../contracts/rails/rails.ts";
import { annotationsOf } from "./annotations.ts";
import { approvalNow, approvalOf, type Reader } from "./approval-view.ts";
import type { BookContext } from "./book-context.ts";
import { stepFor } from "./lifecycle.ts";
import type { NoticeRecord } from "./notice-record.ts";
import type { PaymentOrder, RailProgress, StatusChange, UnexpectedMovement } from "./payment-order.ts";

/** The order as the API shows it, with the account number masked to its last four. */
export function viewOf(order: PaymentOrder, history: readonly StatusChange[]): PaymentOrderView {
  const { terms } = order;
  const { description, metadata } = annotationsOf(order);
  const shownReturn = order.phase === "PostingLateReturn" ? null : returnOf(order);
  const { estimate, ledger, rail, ending } = order.progress;
  return {
    id: order.id,
    status: order.status,
    mode: order.mode,
    direction: terms.direction,
    rail: terms.rail,
    amountCents: terms.amountCents,
    currency: terms.currency,
    ledgerAccountId: terms.ledgerAccountId,
    ledgerAccountName: terms.ledgerAccountName,
    counterpartyId: terms.counterpartyId,
    counterpartyName: terms.counterpartyName,
    counterpartyAccountNumber: maskedAccount(order),
    counterpartyRoutingNumber: terms.counterpartyRoutingNumber,
    externalId: terms.externalId,
    description,
    statementDescriptor: terms.statementDescriptor,
    effectiveDate: terms.effectiveDate,
    purpose: terms.purpose,
    basis: terms.basis,
    metadata: { ...metadata },
    approval: approvalOf(order),
    awaiting: awaitingOf(order),
    cancellable: stepFor(order.phase, "Cancel") !== undefined,
    cutoff: estimate.cutoff,
    expectedSettlementDate: estimate.expectedSettlementDate,
    ledgerTransactionId: ledger.transactionId,
    obligationId: terms.obligationId,
    railReference: rail.reference,
    // An order that was cancelled before its hold has one too, if the ledger then refused the hold.
    failure: ending.failure,
    cancelReason: ending.cancelReason,
    return: shownReturn,
    ...afterwardsOf(rail),
    statusHistory: history.map(({ from, to, at, actor, reason }) => ({
      from,
      to,
      at: at.toISOString(),
      actor,
      reason,
    })),
    createdBy: order.createdBy,
    createdAt: order.createdAt.toISOString(),
    submittedAt: reachedAt(history, "Submitted"),
    completedAt: reachedAt(history, "Completed"),
    returnedAt: shownReturn?.receivedAt ?? null,
    updatedAt: order.updatedAt.toISOString(),
  };
}

/** The order as a reader sees it who might approve it. Never store it: another reader, or a later one, sees another. */
export function viewFor(
  reader: Reader,
  order: PaymentOrder,
  history: readonly StatusChange[],
  context: BookContext,
): PaymentOrderView {
  return { ...viewOf(order, history), approval: approvalNow(order, reader, context) };
}

/** What banks did that changes nothing of the order. */
function afterwardsOf({ unexpectedMovements, notices = [], sentBackBy }: RailProgress) {
  return {
    strayMovements: unexpectedMovements.map(movementView),
    noticesOfChange: notices.map(noticeView),
    sentBackBy: sentBackBy ?? null,
  };
}

export function awaitingOf({ phase }: PaymentOrder): PaymentOrderView["awaiting"] {
  if (phase === "AwaitingApproval") return "Approval";
  return phase === "AwaitingWindow" ? "Window" : null;
}

function reachedAt(history: readonly StatusChange[], status: StatusChange["to"]): string | null {
  return history.find(({ to }) => to === status)?.at.toISOString() ?? null;
}

/** The account of a book transfer is not masked: it is an id of the tenant's own. */
function maskedAccount(order: PaymentOrder): string | null {
  const { counterpartyLedgerAccountId, counterpartyAccount } = order.terms;
  if (counterpartyLedgerAccountId !== null) return counterpartyLedgerAccountId;
  return counterpartyAccount === null ? null : maskedAccountNumber(counterpartyAccount.last4);
}

function movementView({ movement, returnCode, ledgerTransactionId, at }: UnexpectedMovement) {
  return { movement, returnCode, ledgerTransactionId, at };
}

function noticeView({
  number: _internal,
  ...shown
}: NoticeRecord): PaymentOrderView["noticesOfChange"][number] {
  return shown;
}

/** The return without its trace number, which is internal to the bank and us. */
export function returnOf(order: PaymentOrder): PaymentOrderView["return"] {
  if (order.progress.rail.return === null) return null;
  const { traceNumber: _traceNumber, ...shown } = order.progress.rail.return;
  return shown;
}
