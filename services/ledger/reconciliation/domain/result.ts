import type {
  ReconciliationReason,
  ReconciliationStatus,
} from "../../../../contracts/http/ledger/reconciliations.ts";
import { balanceOf, type OpenItem } from "./matching.ts";

/** What both sides say, in cents. */
export interface Sides {
  readonly openingCents: bigint;
  readonly closingCents: bigint;
  /** What the statement before closed with; null for a book's first, which opens with nothing. */
  readonly previousClosingCents: bigint | null;
  readonly ledgerCashCents: bigint;
}

export interface ReconciliationResult {
  readonly status: ReconciliationStatus;
  readonly reasons: readonly ReconciliationReason[];
  readonly inTransitCents: bigint;
  readonly differenceCents: bigint;
}

/** Reconciled is difference 0 and nothing unmatched; anything else says why it is Broken. */
export function resultOf(sides: Sides, items: readonly OpenItem[]): ReconciliationResult {
  const unmatched = items.filter(({ inTransit }) => !inTransit);
  const inTransitCents = balanceOf(items.filter(({ inTransit }) => inTransit));
  const differenceCents = sides.closingCents - sides.ledgerCashCents - inTransitCents;
  const openingGapCents = sides.openingCents - (sides.previousClosingCents ?? 0n);
  const reasons: ReconciliationReason[] = [];
  if (unmatched.some(({ source }) => source === "BankLine")) reasons.push("UnmatchedBankLines");
  if (unmatched.some(({ source }) => source === "LedgerEntry")) reasons.push("UnmatchedLedgerEntries");
  if (openingGapCents !== 0n) reasons.push("OpeningDiffersFromPreviousClosing");
  // What neither open items nor the opening explain is nobody's line: an earlier opening, or a record that was touched.
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
