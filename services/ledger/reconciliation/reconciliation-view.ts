import type {
  Reconciliation,
  ReconciliationItem,
  ReconciliationReport,
} from "../../../contracts/http/ledger/reconciliations.ts";
import { type BookId, idOf } from "../../../contracts/ids/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { exactCents } from "../book/exact-cents.ts";
import { type RunRow, shownItems, type StoredItem } from "./store/reconciliations.ts";

/** A run as callers see it. Refusals: `balance_out_of_range`. */
export function toReconciliation(row: RunRow): Reconciliation {
  return {
    id: idOf("rec", row.reconciliation_id),
    date: row.date,
    status: row.status,
    reasons: row.reasons,
    statement: statementOf(row),
    openingBankBalanceCents: centsOrNull(row.opening_cents),
    closingBankBalanceCents: centsOrNull(row.closing_cents),
    ledgerCashCents: exactCents(row.ledger_cash_cents),
    cutoffSequence: Number(row.cutoff_seq),
    subLedgerCents: exactCents(row.sub_ledger_cents),
    inTransitCents: centsOrNull(row.in_transit_cents),
    differenceCents: centsOrNull(row.difference_cents),
    matchedCount: row.matched_count,
    inTransitCount: row.in_transit_count,
    unmatchedBankLineCount: row.unmatched_bank_count,
    unmatchedLedgerEntryCount: row.unmatched_ledger_count,
    asOf: row.as_of.toISOString(),
  };
}

function statementOf({ statement_id, hash, line_count, ends_at }: RunRow): Reconciliation["statement"] {
  if (statement_id === null || hash === null || line_count === null || ends_at === null) return null;
  return { id: idOf("stm", statement_id), hash, lineCount: line_count, endsAt: ends_at.toISOString() };
}

export function centsOrNull(cents: bigint | null): number | null {
  return cents === null ? null : exactCents(cents);
}

/** The same, with its open items. */
export async function toReport(sql: Sql, book: BookId, row: RunRow): Promise<ReconciliationReport> {
  const items = await shownItems(sql, book, row.run);
  const shown = (which: (item: StoredItem) => boolean) => items.filter(which).map(toItem);
  return {
    ...toReconciliation(row),
    inTransit: shown(({ inTransit }) => inTransit),
    unmatchedBankLines: shown(({ inTransit, source }) => !inTransit && source === "BankLine"),
    unmatchedLedgerEntries: shown(({ inTransit, source }) => !inTransit && source === "LedgerEntry"),
  };
}

export function toItem(item: StoredItem): ReconciliationItem {
  return {
    source: item.source,
    reason: item.reason,
    account: item.account,
    side: item.side,
    amountCents: exactCents(item.amountCents),
    reference: item.reference,
    paymentOrderId: item.orderId,
    ledgerTransactionId: item.transactionId,
    sequence: item.source === "LedgerEntry" ? item.number : null,
    kind: item.kind,
    occurredAt: item.occurredAt.toISOString(),
    firstSeen: item.firstSeen,
    ageBankingDays: item.ageBankingDays,
  };
}
