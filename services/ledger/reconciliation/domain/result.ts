import type {
  ReconciliationReason,
  ReconciliationStatus,
} from "../../../../contracts/http/ledger/reconciliations.ts";
import { balanceOf, type OpenItem } from "./matching.ts";

/** The balances of both sides, in cents. */
export interface Sides {
  readonly openingCents: bigint;
  readonly closingCents: bigint;
  /** The previous statement's closing balance; null for a book's first statement, which opens at zero. */
  readonly previousClosingCents: bigint | null;
  readonly ledgerCashCents: bigint;
}

export interface ReconciliationResult {
  readonly status: ReconciliationStatus;
  readonly reasons: readonly ReconciliationReason[];
  readonly inTransitCents: bigint;
  readonly differenceCents: bigint;
}

/**
 * Reconciled if nothing is unmatched, the statement opens with the previous closing balance and the difference is 0;
 * otherwise Broken, with the reasons.
 */
export function resultOf(sides: Sides, items: readonly OpenItem[]): ReconciliationResult {
  const unmatched = items.filter(({ inTransit }) => !inTransit);
  const inTransitCents = balanceOf(items.filter(({ inTransit }) => inTransit));
  const differenceCents = sides.closingCents - sides.ledgerCashCents - inTransitCents;
  const openingGapCents = sides.openingCents - (sides.previousClosingCents ?? 0n);
  const reasons: ReconciliationReason[] = [];
  if (unmatched.some(({ source }) => source === "BankLine")) reasons.push("UnmatchedBankLines");
  if (unmatched.some(({ source }) => source === "LedgerEntry")) reasons.push("UnmatchedLedgerEntries");
  if (openingGapCents !== 0n) reasons.push("OpeningDiffersFromPreviousClosing");
  // Neither open items nor the opening explain the rest: an earlier opening is wrong, or a record was changed.
  if (differenceCents !== 0n && differenceCents !== balanceOf(unmatched) + openingGapCents) {
    reasons.push("TotalsDiffer");
  }
  return {
    status: reasons.length === 0 ? "Reconciled" : "Broken",
    reasons,
    inTransitCents,
    differenceCents,
  };
}
