import type { z } from "zod";
import { derivedUuid } from "../../../contracts/ids/ids.ts";
import type { EncryptedAccountNumber, Rail } from "../../../contracts/rails/rails.ts";
import * as ledger from "../../../contracts/messages/ledger.ts";
import * as rails from "../../../contracts/messages/rails.ts";
import { virtualRoutingNumber } from "../../../contracts/virtual-number.ts";
import type { Cause } from "../../platform/messages/message.ts";
import type { OutboxWriter } from "../../platform/outbox/outbox.ts";
import type { CommandName } from "../order/lifecycle.ts";
import { returnOf } from "../order/order-view.ts";
import type { LedgerProgress, PaymentOrder, UnexpectedMovement } from "../order/payment-order.ts";
import { descriptorOn } from "../order/rail-text.ts";
import { releasesAsUnpaid } from "../order/sent-back.ts";

/**
 * Puts a command about an order into the outbox. Ids and times come from the order, so that a resent command is
 * exactly the same.
 */
export function addCommand(
  outbox: OutboxWriter,
  name: CommandName,
  order: PaymentOrder,
  cause?: Cause,
): void {
  const about = { book: order.book, subject: order.id, ...(cause === undefined ? {} : { cause }) };
  const step = (stepName: string, command: keyof LedgerProgress["sentAt"]) => ({
    commandId: derivedUuid(order.id, stepName),
    orderId: order.id,
    effectiveAt: order.progress.ledger.sentAt[command] ?? order.updatedAt.toISOString(),
  });
  switch (name) {
    case "PlaceHold":
      outbox.add(ledger.PlaceHold, { ...about, data: { ...step("hold", name), ...holdOf(order) } });
      return;
    case "SettleHold":
      outbox.add(ledger.SettleHold, { ...about, data: step("settle", name) });
      return;
    case "ReleaseHold":
      outbox.add(ledger.ReleaseHold, {
        ...about,
        data: {
          ...step("release", name),
          ...(releasesAsUnpaid(order) ? { unpaid: true as const } : {}),
          ...releaseReason(order),
        },
      });
      return;
    case "PostLateReturn":
      outbox.add(ledger.PostLateReturn, {
        ...about,
        data: {
          ...step("late-return", name),
          returnId: required(order.progress.rail.return, order).id,
          ...obligationReturn(order),
        },
      });
      return;
    case "PostToSuspense":
      for (const movement of order.progress.rail.unexpectedMovements) {
        outbox.add(ledger.PostToSuspense, { ...about, data: suspensePostingOf(order, movement) });
      }
      return;
    case "SubmitInstruction":
      outbox.add(rails.SubmitInstruction, { ...about, data: instructionOf(order) });
      return;
    case "InquireInstruction":
      outbox.add(rails.InquireInstruction, {
        ...about,
        data: { orderId: order.id, mode: order.mode, rail: order.terms.rail },
      });
  }
}

function holdOf(order: PaymentOrder) {
  return { tenantId: order.tenantId, mode: order.mode, ...termsOfHold(order), contra: contraOf(order) };
}

function termsOfHold({ terms: { direction, amountCents, currency, ledgerAccountId } }: PaymentOrder) {
  return { direction, amountCents, currency, ledgerAccountId };
}

/** The hold that a preview asks the ledger about. It names no obligation: an order that pays one is never previewed. */
export function holdToCheck(order: PaymentOrder): z.input<typeof ledger.CheckHold.data> {
  return { ...termsOfHold(order), contra: ownContraOf(order) };
}

function suspensePostingOf(order: PaymentOrder, movement: UnexpectedMovement) {
  const { direction, amountCents, currency } = order.terms;
  return {
    commandId: movement.commandId,
    orderId: order.id,
    transactionId: movement.ledgerTransactionId,
    movement: movement.movement,
    direction,
    amountCents,
    currency,
    contra: bankContraOf(order),
    effectiveAt: movement.at,
  };
}

/** For an order that pays an obligation, the ledger needs to know why the hold is released, and the return. */
function releaseReason(order: PaymentOrder) {
  if (order.terms.obligationId === null) return {};
  const causes = {
    ReleasingAsFailed: "Failed",
    ReleasingAsReturned: "Returned",
    ReleasingAsCancelled: "Cancelled",
  } as const;
  const cause = Object.entries(causes).find(([phase]) => phase === order.phase)?.[1];
  return { ...(cause === undefined ? {} : { cause }), ...obligationReturn(order) };
}

function obligationReturn(order: PaymentOrder) {
  const returned = returnOf(order);
  return order.terms.obligationId === null || returned === null ? {} : { return: returned };
}

/** The other side of the hold: an obligation, the bank, the wallet, or for Book the counterparty's own account. */
function contraOf(order: PaymentOrder) {
  const { obligationId } = order.terms;
  if (obligationId !== null) return { kind: "Obligation" as const, obligationId };
  return ownContraOf(order);
}

function ownContraOf(order: PaymentOrder) {
  const { rail, counterpartyLedgerAccountId } = order.terms;
  if (rail !== "Book") return bankContraOf(order);
  return { kind: "LedgerAccount" as const, ledgerAccountId: required(counterpartyLedgerAccountId, order) };
}

const settlementCash = { kind: "SettlementCash" } as const;

/** The account that holds a rail's money outside the book: at the bank, or on the chain. */
const bankContras = {
  Ach: settlementCash,
  SameDayAch: settlementCash,
  Rtp: settlementCash,
  Wire: settlementCash,
  Usdc: { kind: "StablecoinWallet" },
  Book: null,
} as const satisfies Record<Rail, z.input<typeof ledger.PostToSuspense.data>["contra"] | null>;

/** Throws for a Book transfer, which moves no money outside the book. */
function bankContraOf(order: PaymentOrder) {
  const contra = bankContras[order.terms.rail];
  if (contra === null) throw new Error(`order ${order.id} is a Book transfer and has no account at a bank`);
  return contra;
}

function instructionOf(order: PaymentOrder) {
  const { terms } = order;
  return {
    orderId: order.id,
    ...externalIdOf(order),
    mode: order.mode,
    rail: terms.rail,
    direction: terms.direction,
    amountCents: terms.amountCents,
    currency: terms.currency,
    counterpartyName: required(terms.counterpartyName, order),
    counterpartyAccountNumber: required<EncryptedAccountNumber>(terms.counterpartyAccount, order),
    counterpartyRoutingNumber: required(terms.counterpartyRoutingNumber, order),
    ...descriptorOf(terms),
    ...originatorOf(order),
  };
}

function descriptorOf({ rail, statementDescriptor: text }: PaymentOrder["terms"]) {
  return text === null ? {} : { statementDescriptor: descriptorOn(rail, text) };
}

/** Only for simulated rails, whose rules match by it. */
function externalIdOf({ mode, terms: { externalId } }: PaymentOrder) {
  return mode === "Test" && externalId !== null ? { externalId } : {};
}

/** Only where the money may arrive at a virtual account: no other payment needs it. */
function originatorOf({ tenantId, terms }: PaymentOrder) {
  if (terms.rail !== "Rtp" || terms.counterpartyRoutingNumber !== virtualRoutingNumber) return {};
  return { originator: { tenantId, name: terms.ledgerAccountName } };
}

/** Submission checked it, so an order without it is a bug: throws, because a guess could move money. */
function required<T>(value: T | null, order: PaymentOrder): T {
  if (value === null) throw new Error(`order ${order.id} lacks a field that its submission had`);
  return value;
}
