/** A reconciliation and an error of the bank, as the reference page shows them. */
import type { z } from "zod";
import type { statementFault, statementFaultCreate } from "../sandbox/bank-statement-faults.ts";
import type {
  reconciliation,
  reconciliationCreate,
  reconciliationItem,
  reconciliationReport,
} from "../ledger/reconciliations.ts";
import { at, ids } from "./ids.ts";

const statementId = "stm_01jd3k9v2qe8m5r1t7w4y6z3bn";

const missing = {
  source: "LedgerEntry",
  reason: "NoBankLine",
  account: "SettlementCash",
  side: "Out",
  amountCents: 125_000,
  reference: null,
  paymentOrderId: ids.order,
  ledgerTransactionId: ids.transaction,
  sequence: 42,
  kind: "Settle",
  occurredAt: at(358),
  firstSeen: "2026-03-02",
  ageBankingDays: 1,
} satisfies z.output<typeof reconciliationItem>;

const run = {
  id: "rec_01jd3k9v7xf4c2h8k5n1q6s0dw",
  date: "2026-03-03",
  status: "Broken",
  reasons: ["UnmatchedLedgerEntries"],
  statement: {
    id: statementId,
    hash: "9b1f0c7d3a5e2846b8d0f1a2c3e4958671b2a3c4d5e6f70819a2b3c4d5e6f708",
    lineCount: 17,
    endsAt: "2026-03-04T05:00:00.000Z",
  },
  openingBankBalanceCents: 900_000,
  closingBankBalanceCents: 1_025_000,
  ledgerCashCents: 900_000,
  cutoffSequence: 51,
  subLedgerCents: 900_000,
  inTransitCents: 0,
  differenceCents: 125_000,
  matchedCount: 17,
  inTransitCount: 0,
  unmatchedBankLineCount: 0,
  unmatchedLedgerEntryCount: 1,
  asOf: "2026-03-04T11:00:04.512Z",
} satisfies z.output<typeof reconciliation>;

const fault = {
  id: "bsf_01jd3k9r4ye1v7x3z5b8d2g6hj",
  kind: "LineMissing",
  status: "Waiting",
  orderId: ids.order,
  bankReference: null,
  amountCents: null,
  side: null,
  statementId: null,
  createdAt: at(0),
} satisfies z.output<typeof statementFault>;

/** By the schema's id. */
export const reconciliationExamples = {
  ReconciliationCreate: { date: "2026-03-03" } satisfies z.input<typeof reconciliationCreate>,
  ReconciliationItem: missing,
  ReconciliationItemPage: { data: [missing], nextCursor: null, hasMore: false },
  Reconciliation: run,
  ReconciliationPage: { data: [run], nextCursor: null, hasMore: false },
  ReconciliationReport: {
    ...run,
    inTransit: [],
    unmatchedBankLines: [],
    unmatchedLedgerEntries: [missing],
  } satisfies z.output<typeof reconciliationReport>,
  BankStatementFaultCreate: { kind: "LineMissing", orderId: ids.order } satisfies z.input<
    typeof statementFaultCreate
  >,
  BankStatementFault: fault,
  BankStatementFaultPage: {
    data: [{ ...fault, status: "Printed", statementId }],
    nextCursor: null,
    hasMore: false,
  },
};
