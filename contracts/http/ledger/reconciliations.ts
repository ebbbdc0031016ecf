import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { amountCents, balanceCents } from "../../money.ts";
import { namedEnum } from "../../named-enum.ts";
import { bankingDate, oneOrMany, pageOf, pageQuery, timestamp } from "../shapes.ts";

export const reconciliationStatus = namedEnum("ReconciliationStatus", "How the comparison ended.", {
  Reconciled: "The difference is 0 and nothing is unmatched.",
  Broken: "Something is unmatched, or the amounts differ.",
  NotReconciled: "There was no statement to compare.",
});
export type ReconciliationStatus = z.infer<typeof reconciliationStatus>;

const reconciliationReason = namedEnum("ReconciliationReason", "Why a run is not Reconciled.", {
  UnmatchedBankLines: "The bank has lines that the ledger does not have.",
  UnmatchedLedgerEntries: "The ledger has entries that the bank does not have.",
  OpeningDiffersFromPreviousClosing: "The statement does not start where the last one ended.",
  TotalsDiffer: "The balances differ by more than the items explain.",
  StatementMissing: "The day's statement did not arrive.",
});
export type ReconciliationReason = z.infer<typeof reconciliationReason>;

/** The two ledger accounts that a bank keeps a second record of. */
export const bankAccount = namedEnum("BankAccount", "The account at the bank.", {
  SettlementCash: "Settlement cash.",
  StablecoinWallet: "The stablecoin wallet.",
});
export type BankAccount = z.infer<typeof bankAccount>;
export const bankSide = namedEnum("BankSide", "Whether money arrived at the bank or left it.", {
  In: "Money arrived.",
  Out: "Money left.",
});
export type BankSide = z.infer<typeof bankSide>;

const itemSource = namedEnum("ReconciliationItemSource", "Which side has the item.", {
  BankLine: "Only the bank.",
  LedgerEntry: "Only the ledger.",
});
const itemReason = namedEnum("ReconciliationItemReason", "Why the item has no match.", {
  NotYetBooked: "In transit: the bank was faster than the ledger.",
  NotYetAtBank:
    "In transit: effective after the end of the statement, or so shortly before it that the next one has it.",
  NoLedgerEntry: "Unmatched: the ledger has no entry for the bank's line.",
  NoBankLine: "Unmatched: the bank has no line for the ledger's entry.",
  AmountDiffers: "Unmatched: both sides know the reference, with different amounts.",
});
export type ItemReason = z.infer<typeof itemReason>;

export const reconciliationItem = z
  .object({
    source: itemSource,
    reason: itemReason,
    account: bankAccount,
    side: bankSide,
    amountCents,
    reference: z
      .string()
      .nullable()
      .meta({ description: "The reference of the rail or the bank, if it is known." }),
    paymentOrderId: idSchema("po").nullable().meta({ description: "The order, if it is known." }),
    ledgerTransactionId: idSchema("lt").nullable().meta({ description: "The transaction, if it is known." }),
    sequence: z.int().nullable().meta({ description: "The journal of a ledger entry." }),
    kind: z.string().meta({ description: "The kind of movement, such as `Settlement` or `LateReturn`." }),
    occurredAt: timestamp.meta({
      description: "When the bank booked it, or the effective time in the ledger.",
    }),
    firstSeen: bankingDate.meta({ description: "The banking day of the first run that listed it." }),
    ageBankingDays: z
      .int()
      .min(0)
      .meta({ description: "Banking days between the day it occurred and the day of the run." }),
  })
  .meta({ id: "ReconciliationItem", description: "A bank line or a ledger entry without a match." });
export type ReconciliationItem = z.infer<typeof reconciliationItem>;

const count = (description: string) => z.int().min(0).meta({ description });

/** One comparison of a book with the bank's statement. It never changes. */
export const reconciliation = z
  .object({
    id: idSchema("rec"),
    date: bankingDate.meta({ description: "The banking day of the statement." }),
    status: reconciliationStatus,
    reasons: z.array(reconciliationReason).meta({ description: "Why it is not Reconciled." }),
    statement: z
      .object({
        id: idSchema("stm"),
        hash: z.string().meta({ description: "SHA-256 of the statement." }),
        lineCount: count("How many lines it has."),
        endsAt: timestamp.meta({ description: "It covers movements before this time." }),
      })
      .nullable()
      .meta({ description: "The bank's statement. Null if it did not arrive." }),
    openingBankBalanceCents: balanceCents
      .nullable()
      .meta({ description: "The statement's opening balance, in cents." }),
    closingBankBalanceCents: balanceCents
      .nullable()
      .meta({ description: "The statement's closing balance, in cents." }),
    ledgerCashCents: balanceCents.meta({
      description: "Posted settlement cash and stablecoin wallet at `cutoffSequence`, in cents.",
    }),
    cutoffSequence: count("The last journal that was compared."),
    subLedgerCents: balanceCents.meta({
      description: "Everything that the book owes, posted, at `cutoffSequence`, in cents.",
    }),
    inTransitCents: balanceCents
      .nullable()
      .meta({ description: "Bank lines in transit minus ledger entries in transit, in cents." }),
    differenceCents: balanceCents
      .nullable()
      .meta({ description: "Bank − ledger − in transit, in cents. Null without a statement." }),
    matchedCount: count("How many bank lines were matched."),
    inTransitCount: count("How many items are in transit."),
    unmatchedBankLineCount: count("How many bank lines are unmatched."),
    unmatchedLedgerEntryCount: count("How many ledger entries are unmatched."),
    asOf: timestamp.meta({ description: "When the ledger was read." }),
  })
  .meta({
    id: "Reconciliation",
    description: "One comparison of the ledger with a bank statement. It never changes.",
  });
export type Reconciliation = z.infer<typeof reconciliation>;

/** A message between services is at most 1 MiB: of each kind, the oldest items up to this number go out. */
export const maxItemsShown = 500;
const items = z.array(reconciliationItem).max(maxItemsShown);

export const reconciliationReport = reconciliation
  .extend({
    inTransit: items.meta({
      description: "The oldest 500. `inTransitCount` counts all, and `/items` lists them.",
    }),
    unmatchedBankLines: items.meta({ description: "The oldest 500. `unmatchedBankLineCount` counts all." }),
    unmatchedLedgerEntries: items.meta({
      description: "The oldest 500. `unmatchedLedgerEntryCount` counts all.",
    }),
  })
  .meta({ id: "ReconciliationReport", description: "A run with the items that it left open." });
export type ReconciliationReport = z.infer<typeof reconciliationReport>;

export const reconciliationItemPage = pageOf(reconciliationItem).meta({
  id: "ReconciliationItemPage",
  description: "One page of open items.",
});
export const reconciliationItemQuery = z.strictObject({ ...pageQuery, reason: oneOrMany(itemReason) });

export const reconciliationPage = pageOf(reconciliation).meta({
  id: "ReconciliationPage",
  description: "One page of runs.",
});
export const reconciliationQuery = z.strictObject({
  ...pageQuery,
  date: oneOrMany(bankingDate),
  status: oneOrMany(reconciliationStatus),
});

export const reconciliationCreate = z
  .strictObject({
    date: bankingDate
      .optional()
      .meta({ description: "The current banking day: today, or the last one. Default: that day." }),
  })
  .meta({ id: "ReconciliationCreate", description: "Which day to reconcile." });
