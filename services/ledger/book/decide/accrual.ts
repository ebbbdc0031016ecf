import type { LedgerAccountId } from "../../../../contracts/ids/ids.ts";
import { accountIn, type Book } from "../book-state.ts";
import { bankClassOf, chartAccountId, chartCurrency } from "../chart-of-accounts.ts";
import type { AccrueCommand, HoldCommand } from "../commands.ts";
import { holdLines, type Line, offsettingLines } from "../journal.ts";
import {
  expenseClassOf,
  liabilityOf,
  type Obligation,
  outstandingOf,
  sumOf,
  rejectUnrealBasis,
} from "../obligation.ts";
import type { Rejection } from "../rejections.ts";
import { duplicateTransaction, type DraftDecision } from "../decision.ts";

/** The other side of an order that pays an obligation. */
export type ObligationContra = Extract<HoldCommand["contra"], { kind: "Obligation" }>;

/**
 * Accrues a liability, or the difference of an amendment: Dr expense, Cr liability; the other way round if less is
 * owed. Rejections: a Demo or Missing line; `amended_below_paid`.
 */
export function decideAccrual(book: Book, command: AccrueCommand): DraftDecision {
  if (book.transactions.has(command.transactionId)) return duplicateTransaction(command);
  const obligation = book.obligations.get(command.obligationId);
  if (obligation === undefined || obligation.status === "Remitting") {
    const reason = `${command.obligationId} can't be accrued now`;
    return { invalid: "obligation_not_accruable", reason };
  }
  const rejection =
    rejectUnrealBasis(command.lines) ?? rejectAmendment(book, obligation, sumOf(command.lines));
  if (rejection !== null) return { code: rejection.code, detail: rejection.detail };
  const moreCents = sumOf(command.lines) - obligation.fixedCents;
  if (moreCents === 0) return { invalid: "obligation_not_accruable", reason: "its sum does not change" };
  const lines = pendingPair(
    expenseOf(book, obligation),
    liabilityOf(obligation.id),
    BigInt(Math.abs(moreCents)),
  );
  const posted = lines.map((line): Line => ({ ...line, layer: "Posted" }));
  return { lines: moreCents > 0 ? posted : offsettingLines(posted), limits: "All" };
}

/** An amendment must not be below the paid sum: a smaller figure gives no money back. */
export function rejectAmendment(book: Book, obligation: Obligation, sumCents: number): Rejection | null {
  const outstandingCents = Number(outstandingOf(accountIn(book, liabilityOf(obligation.id))));
  const paidCents = obligation.fixedCents - outstandingCents;
  if (sumCents >= paidCents) return null;
  return {
    code: "amended_below_paid",
    detail: `${paidCents} cents are already paid, so the lines can't total ${sumCents} cents. Send lines that total at least ${paidCents} cents, and reclaim the overpayment from its receiver.`,
  };
}

/**
 * The four lines of a remittance: Dr liability, Cr bank (Usdc: wallet); Dr funding account, Cr expense. All values come
 * from the obligation's own row: another order than the chosen one, another amount or another account is rejected.
 */
export function remittanceLines(
  book: Book,
  command: HoldCommand,
  contra: ObligationContra,
): readonly Line[] | Rejection {
  const obligation = book.obligations.get(contra.obligationId);
  const remittance = obligation?.remittance ?? null;
  if (obligation === undefined || remittance === null) {
    return notPayable(
      `${contra.obligationId} is not being remitted. Remit it: the service then creates its order.`,
    );
  }
  if (remittance.orderId !== command.orderId) {
    return notPayable(`${remittance.orderId} pays ${obligation.id}. Wait until that order has ended.`);
  }
  const fits =
    command.direction === "Credit" &&
    command.amountCents === remittance.amountCents &&
    command.ledgerAccountId === remittance.fundingAccountId;
  if (!fits) return notPayable(`${command.orderId} is not the order that pays ${obligation.id}.`);
  const bank = chartAccountId(book.id, bankClassOf(remittance.rail));
  const cents = BigInt(command.amountCents);
  return [
    ...pendingPair(liabilityOf(obligation.id), bank, cents),
    ...pendingPair(remittance.fundingAccountId, expenseOf(book, obligation), cents),
  ];
}

function expenseOf(book: Book, { type }: Obligation): LedgerAccountId {
  return chartAccountId(book.id, expenseClassOf[type]);
}

/** Pending lines: Dr `accountId`, Cr `contraId`. Obligations are in the chart's currency. */
function pendingPair(accountId: LedgerAccountId, contraId: LedgerAccountId, amountCents: bigint): Line[] {
  return holdLines({ direction: "Credit", accountId, contraId, currency: chartCurrency, amountCents });
}

function notPayable(detail: string): Rejection {
  return { code: "obligation_not_payable", detail };
}
