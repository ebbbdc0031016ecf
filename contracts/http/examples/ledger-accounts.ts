/** Ledger accounts and their balances, as the reference page shows them. A test holds each against its schema. */
import type { z } from "zod";
import type { balanceHistory, ledgerAccountJournal } from "../ledger/account-history.ts";
import type {
  LedgerAccountPatch,
  balances,
  ledgerAccount,
  ledgerAccountCreate,
  ledgerEntry,
} from "../ledger/ledger-accounts.ts";
import type { statement } from "../ledger/statements.ts";
import { at, ids } from "./ids.ts";

const someBalances = {
  pendingBalanceCents: 1_000,
  postedBalanceCents: 900_000,
  availableBalanceCents: 899_000,
};

const account = {
  id: ids.account,
  name: "Operating",
  currency: "USD",
  normalBalance: "Credit",
  overdraft: "Refused",
  externalId: null,
  description: null,
  metadata: {},
  ...someBalances,
  pendingInboundCents: 0,
  lastSequence: 12,
  status: "Open",
  createdAt: at(0),
  updatedAt: at(0),
  closedAt: null,
} satisfies z.output<typeof ledgerAccount>;
export const closedAccount = {
  ...account,
  pendingBalanceCents: 0,
  postedBalanceCents: 0,
  availableBalanceCents: 0,
  status: "Closed",
  updatedAt: at(86_400_000),
  closedAt: at(86_400_000),
} satisfies z.output<typeof ledgerAccount>;

export const ledgerAccountExamples = {
  LedgerAccountCreate: { name: "Operating", overdraft: "Refused" } satisfies z.input<
    typeof ledgerAccountCreate
  >,
  LedgerAccountPatch: {
    description: "Fees of the Chicago office",
    metadata: { office: "chicago", team: null },
  } satisfies LedgerAccountPatch,
  LedgerAccount: account,
  LedgerEntry: {
    id: ids.holdEntry,
    direction: "Debit",
    amountCents: 1_000,
    status: "Pending",
    transactionId: ids.transaction,
    sequence: 12,
    kind: "Hold",
    reversesEntryId: null,
    paymentOrderId: ids.order,
    effectiveAt: at(31),
    createdAt: at(31),
  } satisfies z.output<typeof ledgerEntry>,
  LedgerAccountStatement: {
    ledgerAccountId: ids.account,
    ledgerAccountName: "Operating",
    currency: "USD",
    normalBalance: "Credit",
    from: "2026-03-02",
    to: "2026-03-02",
    openingBalanceCents: 901_000,
    closingBalanceCents: 900_000,
    data: [
      {
        entryId: ids.holdEntry,
        effectiveDate: "2026-03-02",
        effectiveAt: at(31),
        createdAt: at(31),
        direction: "Debit",
        amountCents: 1_000,
        balanceCents: 900_000,
        kind: "Settle",
        description: null,
        externalId: null,
        transactionId: ids.transaction,
        paymentOrderId: ids.order,
        sequence: 12,
      },
    ],
    nextCursor: null,
    hasMore: false,
  } satisfies z.output<typeof statement>,
  LedgerAccountJournal: {
    sequence: 12,
    kind: "Hold",
    transactionId: ids.transaction,
    owner: { kind: "PaymentOrder", id: ids.order },
    description: null,
    externalId: null,
    change: { pendingCents: 1_000, pendingInboundCents: 0, postedCents: 0, availableCents: -1_000 },
    balancesAfter: { ...someBalances, pendingInboundCents: 0 },
    effectiveAt: at(31),
    createdAt: at(31),
  } satisfies z.output<typeof ledgerAccountJournal>,
  BalanceHistory: {
    ledgerAccountId: ids.account,
    ledgerAccountName: "Operating",
    currency: "USD",
    normalBalance: "Credit",
    from: at(0),
    to: at(86_400_000),
    data: [{ at: at(86_400_000), ...someBalances, pendingInboundCents: 0 }],
  } satisfies z.output<typeof balanceHistory>,
  Balances: {
    asOf: at(400),
    data: [{ ledgerAccountId: ids.account, name: "Operating", currency: "USD", ...someBalances }],
    nextCursor: null,
    hasMore: false,
    totals: [{ currency: "USD", ...someBalances }],
    reconciliation: {
      settlementCashCents: 900_000,
      subLedgerCents: 900_000,
      differenceCents: 0,
      bankDifferenceCents: 0,
      status: "Reconciled",
      asOf: at(300),
      now: { settlementCashCents: 900_000, subLedgerCents: 900_000, differenceCents: 0, asOf: at(400) },
      lastRun: {
        id: "rec_01jd3k9v7xf4c2h8k5n1q6s0dw",
        date: "2026-03-02",
        status: "Reconciled",
        bankDifferenceCents: 0,
        asOf: at(300),
      },
    },
  } satisfies z.output<typeof balances>,
};
