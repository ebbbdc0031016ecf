/** The proof of a book, as the reference page shows it. */
import type { z } from "zod";
import type { ledgerJournal, ledgerProof } from "../ledger/ledger-proof.ts";
import { at, ids } from "./ids.ts";

const head = "5f0c1c1bd5e2a1d94c7a20f7f5a43a8d2e6b90c3f17d4586a0b9c8d7e6f50413";
const held = {
  ledgerAccountId: ids.account,
  currency: "USD",
  layer: "Pending",
  role: "Normal",
  direction: "Debit",
  amountCents: 1_000,
  version: 3,
  runningTotals: ["1000", "0", "0", "0", "0", "900000"],
} satisfies z.output<typeof ledgerJournal>["entries"][number];

/** By the schema's id. */
export const proofExamples = {
  LedgerProof: {
    status: "Proven",
    asOf: at(400),
    lastSequence: 12,
    headHash: head,
    trialBalance: [
      { layer: "Pending", currency: "USD", debitCents: 1_000, creditCents: 1_000, differenceCents: 0 },
      { layer: "Posted", currency: "USD", debitCents: 900_000, creditCents: 900_000, differenceCents: 0 },
    ],
    equation: { heldCents: 900_000, owedCents: 900_000, differenceCents: 0 },
    lastSeal: { firstSequence: 12, lastSequence: 12, headHash: head, sealedAt: at(31) },
    audit: { auditedSequence: 12, auditedAt: at(390), passedAt: at(120) },
    frozenAt: null,
    faults: [],
  } satisfies z.output<typeof ledgerProof>,
  LedgerJournal: {
    sequence: 12,
    kind: "Hold",
    transactionId: ids.transaction,
    paymentOrderId: ids.order,
    commandId: "5f8f4a3e-3c1b-5d0e-9a86-2f4b7c9d1e60",
    resolvesSequence: null,
    reversesSequence: null,
    effectiveAt: at(31),
    recordedAt: "2026-03-02T15:00:00.031207Z",
    digest: "c2a1e0d9f8b7a6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1",
    digestVersion: 2,
    detailsDigest: null,
    entries: [
      held,
      {
        ...held,
        ledgerAccountId: "la_01jd3k1p9qfw8x5v2z7m4n0r6t",
        direction: "Credit",
        runningTotals: ["0", "1000", "0", "0", "900000", "0"],
      },
    ],
    seal: {
      firstSequence: 12,
      headHash: head,
      postedDebitCents: "900000",
      postedCreditCents: "900000",
      pendingDebitCents: "1000",
      pendingCreditCents: "1000",
      classTotals: [
        {
          class: "SettlementCash",
          normalBalance: "Debit",
          currency: "USD",
          totals: ["0", "1000", "0", "0", "900000", "0"],
        },
        {
          class: "Tenant",
          normalBalance: "Credit",
          currency: "USD",
          totals: ["1000", "0", "0", "0", "0", "900000"],
        },
      ],
    },
  } satisfies z.output<typeof ledgerJournal>,
};
