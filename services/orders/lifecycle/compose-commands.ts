import { derivedUuid } from "../../../contracts/ids/ids.ts";
import type { EncryptedAccountNumber } from "../../../contracts/rails/rails.ts";
import * as ledger from "../../../contracts/messages/ledger.ts";
import * as rails from "../../../contracts/messages/rails.ts";
import type { Cause } from "../../platform/messages/message.ts";
import type { OutboxWriter } from "../../platform/outbox/outbox.ts";
import type { CommandName } from "../order/lifecycle.ts";
import { returnOf } from "../order/order-view.ts";
import type { PaymentOrder, StrayMovement } from "../order/payment-order.ts";

/**
 * Puts a command about an order into the outbox. Ids and times come from the order, so that a resend is the same
 * command, to the letter.
 */
export function sendCommand(
  outbox: OutboxWriter,
  name: CommandName,
  order: PaymentOrder,
  cause?: Cause,
): void {
  const about = { book: order.book, subject: order.id, ...(cause === undefined ? {} : { cause }) };
  const step = (stepName: string, command: keyof PaymentOrder["progress"]["sentAt"]) => ({
    commandId: derivedUuid(order.id, stepName),
    orderId: order.id,
    effectiveAt: order.progress.sentAt[command] ?? order.updatedAt.toISOString(),
  });
  switch (name) {
    case "PlaceHold":
      outbox.add(ledger.PlaceHold, { ...about, data: { ...step("hold", name), ...holdOf(order) } });
      return;
    case "SettleHold":
      outbox.add(ledger.SettleHold, { ...about, data: step("settle", name) });
      return;
    case "ReleaseHold":
      outbox.add(ledger.ReleaseHold, { ...about, data: { ...step("release", name), ...whyReleased(order) } });
      return;
    case "PostLateReturn":
      outbox.add(ledger.PostLateReturn, {
        ...about,
        data: {
          ...step("late-return", name),
          returnId: required(order.progress.return, order).id,
          ...returnToTell(order),
        },
      });
      return;
    case "PostToSuspense":
      for (const stray of order.progress.strays ?? []) {
        outbox.add(ledger.PostToSuspense, { ...about, data: suspensePostingOf(order, stray) });
      }
      return;
    case "SubmitInstruction":
      outbox.add(rails.SubmitInstruction, { ...about, data: instructionOf(order) });
      return;
    case "InquireInstruction":
      outbox.add(rails.InquireInstruction, { ...about, data: { orderId: order.id } });
  }
}

function holdOf(order: PaymentOrder) {
  const { frozen } = order;
  return {
    tenantId: order.tenantId,
    mode: order.mode,
    direction: frozen.direction,
    amountCents: frozen.amountCents,
    currency: frozen.currency,
    ledgerAccountId: frozen.ledgerAccountId,
    contra: contraOf(order),
  };
}

function suspensePostingOf(order: PaymentOrder, stray: StrayMovement) {
  const { direction, amountCents, currency } = order.frozen;
  return {
    commandId: stray.commandId,
    orderId: order.id,
    transactionId: stray.ledgerTransactionId,
    movement: stray.movement,
    direction,
    amountCents,
    currency,
    contra: bankContraOf(order),
    effectiveAt: stray.at,
  };
}

/** Who booked a liability is told why its payment came to nothing, and of the return; nobody else needs it. */
function whyReleased(order: PaymentOrder) {
  if (order.frozen.obligationId === null) return {};
  const causes = {
    ReleasingAsFailed: "Failed",
    ReleasingAsReturned: "Returned",
    ReleasingAsCancelled: "Cancelled",
  } as const;
  const cause = Object.entries(causes).find(([phase]) => phase === order.phase)?.[1];
  return { ...(cause === undefined ? {} : { cause }), ...returnToTell(order) };
}

function returnToTell(order: PaymentOrder) {
  const returned = returnOf(order);
  return order.frozen.obligationId === null || returned === null ? {} : { return: returned };
}

/** The other side of the hold: an obligation, the bank, the wallet, or for Book the counterparty's own account. */
function contraOf(order: PaymentOrder) {
  const { rail, counterpartyLedgerAccountId, obligationId } = order.frozen;
  if (obligationId !== null) return { kind: "Obligation" as const, obligationId };
  if (rail === "Book") {
    return { kind: "LedgerAccount" as const, ledgerAccountId: required(counterpartyLedgerAccountId, order) };
  }
  return bankContraOf(order);
}

function bankContraOf(order: PaymentOrder) {
  return order.frozen.rail === "Usdc"
    ? { kind: "StablecoinWallet" as const }
    : { kind: "SettlementCash" as const };
}

function instructionOf(order: PaymentOrder) {
  const { frozen } = order;
  return {
    orderId: order.id,
    mode: order.mode,
    rail: frozen.rail,
    direction: frozen.direction,
    amountCents: frozen.amountCents,
    currency: frozen.currency,
    counterpartyName: required(frozen.counterpartyName, order),
    counterpartyAccountNumber: required<EncryptedAccountNumber>(frozen.counterpartyAccount, order),
    counterpartyRoutingNumber: required(frozen.counterpartyRoutingNumber, order),
    ...(frozen.statementDescriptor === null ? {} : { statementDescriptor: frozen.statementDescriptor }),
  };
}

/** Submission saw to it; an order without it here is a bug, and nothing is guessed. */
function required<T>(value: T | null, order: PaymentOrder): T {
  if (value === null) throw new Error(`order ${order.id} lacks a field that its submission had`);
  return value;
}
