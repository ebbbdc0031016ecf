/** Ledger transactions, as the reference page shows them. A test holds each against its schema. */
import type { z } from "zod";
import type {
  LedgerTransaction,
  ledgerTransaction,
  ledgerTransactionCreate,
  ledgerTransactionPosting,
  ledgerTransactionReversal,
} from "../ledger/ledger-transactions.ts";
import { at, ids } from "./ids.ts";

const reserve = "la_01jd3k4q2nf7rbv5x0c9h3t6ye";

const posted = {
  id: "lt_01jd3k7c4we9tv2m6q8b0r5xnh",
  status: "Posted",
  description: "Fee of March",
  currency: "USD",
  entries: [
    { ledgerAccountId: ids.account, ledgerAccountName: "Operating", direction: "Debit", amountCents: 1_250 },
    { ledgerAccountId: reserve, ledgerAccountName: "Fees", direction: "Credit", amountCents: 1_250 },
  ],
  basis: "Actual",
  effectiveAt: at(500),
  externalId: "fee-2026-03",
  metadata: {},
  owner: null,
  reversedAt: null,
  journals: [{ sequence: 13, kind: "Post", description: null, effectiveAt: at(500), createdAt: at(503) }],
  createdAt: at(503),
} satisfies z.output<typeof ledgerTransaction>;
const step = (sequence: number, kind: LedgerTransaction["journals"][number]["kind"], ms: number) => ({
  sequence,
  kind,
  description: null,
  effectiveAt: at(ms),
  createdAt: at(ms),
});

export const voidedTransaction = {
  ...posted,
  status: "Voided",
  journals: [step(13, "Hold", 503), step(14, "Release", 900)],
} satisfies LedgerTransaction;

export const reversedTransaction = {
  ...posted,
  reversedAt: at(900),
  journals: [step(13, "Post", 503), { ...step(14, "Reverse", 900), description: "Charged twice" }],
} satisfies LedgerTransaction;

/** By the schema's id. */
export const ledgerTransactionExamples = {
  LedgerTransactionCreate: {
    description: "Fee of March",
    entries: [
      { ledgerAccountName: "Operating", direction: "Debit", amountCents: 1_250 },
      { ledgerAccountName: "Fees", direction: "Credit", amountCents: 1_250 },
    ],
    externalId: "fee-2026-03",
  } satisfies z.input<typeof ledgerTransactionCreate>,
  LedgerTransactionPosting: {} satisfies z.input<typeof ledgerTransactionPosting>,
  LedgerTransactionReversal: { description: "Charged twice" } satisfies z.input<
    typeof ledgerTransactionReversal
  >,
  LedgerTransaction: posted,
};
