import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { amountCents, balanceCents } from "../../money.ts";
import { bankingDate, pageOf, pageQuery, timestamp } from "../shapes.ts";

export const reconciliationStatuses = ["Reconciled", "Broken", "NotReconciled"] as const;
export const reconciliationStatus = z.enum(reconciliationStatuses);
export type ReconciliationStatus = z.infer<typeof reconciliationStatus>;

export const reconciliationReasons = [
  "UnmatchedBankLines",
  "UnmatchedLedgerEntries",
  "OpeningDiffersFromPreviousClosing",
  "TotalsDiffer",
  "StatementMissing",
] as const;
export type ReconciliationReason = (typeof reconciliationReasons)[number];

/** The ledger's two accounts that a bank keeps a second record of. */
export const bankAccount = z.enum(["SettlementCash", "StablecoinWallet"]);
export type BankAccount = z.infer<typeof bankAccount>;
export const bankSide = z
  .enum(["In", "Out"])
  .meta({ description: "In: the money at the bank grew. Out: it shrank." });
export type BankSide = z.infer<typeof bankSide>;

export const itemReasons = [
  "NotYetBooked",
  "NotYetAtBank",
  "NoLedgerEntry",
  "NoBankLine",
  "AmountDiffers",
] as const;
export type ItemReason = (typeof itemReasons)[number];

export const reconciliationItem = z
  .object({
    source: z.enum(["BankLine", "LedgerEntry"]).meta({ description: "On whose side it stands alone." }),
    reason: z.enum(itemReasons).meta({
      description:
        "In transit: `NotYetBooked` (the order's money is held, or it moved a moment ago: the bank was faster) or `NotYetAtBank` (effective after the statement's end). Unmatched: `NoLedgerEntry`, `NoBankLine`, or `AmountDiffers` where both sides know the reference.",
    }),
    account: bankAccount,
    side: bankSide,
    amountCents,
    reference: z.string().nullable().meta({ description: "The rail's or the bank's, where it is known." }),
    paymentOrderId: idSchema("po").nullable(),
    ledgerTransactionId: idSchema("lt").nullable(),
    sequence: z.int().nullable().meta({ description: "The journal of a ledger entry." }),
    kind: z
      .string()
      .meta({ description: "What the bank or the ledger calls it: `Settlement`, `LateReturn` …" }),
    occurredAt: timestamp.meta({ description: "When it moved at the bank, or is effective in the ledger." }),
    firstSeen: bankingDate.meta({ description: "The banking day of the run that met it first." }),
    ageBankingDays: z.int().min(0).meta({ description: "Banking days from the day it is of to the run's." }),
  })
  .meta({ id: "ReconciliationItem" });
export type ReconciliationItem = z.infer<typeof reconciliationItem>;

const count = z.int().min(0);

/** One comparison of a book with the bank's statement. It never changes. */
export const reconciliation = z
  .object({
    id: idSchema("rec"),
    date: bankingDate,
    status: reconciliationStatus.meta({
      description:
        "Reconciled: difference 0 and nothing unmatched. NotReconciled: the day's statement did not come, so nothing is known.",
    }),
    reasons: z.array(z.enum(reconciliationReasons)).meta({ description: "Why it is not Reconciled." }),
    statement: z
      .object({
        id: idSchema("stm"),
        hash: z.string(),
        lineCount: count,
        endsAt: timestamp.meta({ description: "It holds what moved before." }),
      })
      .nullable(),
    openingBankBalanceCents: balanceCents.nullable(),
    closingBankBalanceCents: balanceCents.nullable(),
    ledgerCashCents: balanceCents.meta({
      description: "Settlement cash and stablecoin wallet, posted, at the cutoff sequence.",
    }),
    cutoffSequence: z.int().min(0).meta({ description: "The last journal that was looked at." }),
    subLedgerCents: balanceCents.meta({ description: "What the book owed, posted, at the cutoff sequence." }),
    inTransitCents: balanceCents
      .nullable()
      .meta({ description: "Bank lines in transit less ledger entries in transit." }),
    differenceCents: balanceCents
      .nullable()
      .meta({ description: "Bank − ledger − in transit; null where no statement came." }),
    matchedCount: count.meta({ description: "Bank lines that found their ledger entry." }),
    inTransitCount: count,
    unmatchedBankLineCount: count,
    unmatchedLedgerEntryCount: count,
    asOf: timestamp.meta({ description: "When the ledger was read." }),
  })
  .meta({ id: "Reconciliation" });
export type Reconciliation = z.infer<typeof reconciliation>;

/** A message between services is at most 1 MiB: of each kind this many items go out, the oldest first. */
export const mostItemsShown = 500;
const items = z.array(reconciliationItem).max(mostItemsShown);

export const reconciliationReport = reconciliation
  .extend({
    inTransit: items.meta({ description: "The oldest 500; `inTransitCount` says how many there are." }),
    unmatchedBankLines: items.meta({ description: "The oldest 500." }),
    unmatchedLedgerEntries: items.meta({ description: "The oldest 500." }),
  })
  .meta({ id: "ReconciliationReport" });
export type ReconciliationReport = z.infer<typeof reconciliationReport>;

export const reconciliationPage = pageOf(reconciliation).meta({ id: "ReconciliationPage" });
export const reconciliationQuery = z.strictObject({
  ...pageQuery,
  date: bankingDate.optional(),
  status: reconciliationStatus.optional(),
});

export const reconciliationCreate = z
  .strictObject({
    date: bankingDate
      .optional()
      .meta({ description: "The current banking day, which it is without it: today, or the last one." }),
  })
  .meta({ id: "ReconciliationCreate" });
