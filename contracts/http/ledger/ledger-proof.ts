import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { balanceCents, currency } from "../../money.ts";
import { entryDirection, journalKinds } from "./ledger-accounts.ts";
import { pageOf, pageQuery, timestamp } from "../shapes.ts";

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const layer = z.enum(["Pending", "Posted"]);
/** Counters only rise, beyond what a JSON number holds exactly: they are text. */
const counter = z.string().regex(/^\d+$/).meta({ description: "In cents, as text." });

const counterNames = "held debit, held credit, released debit, released credit, posted debit, posted credit";
const sixCounters = z
  .array(counter)
  .length(6)
  .meta({ description: `In this order: ${counterNames}.` });

/** What an account is to its book: the tenant's own, or one of the chart's. */
const accountClasses = [
  "SettlementCash",
  "StablecoinWallet",
  "Suspense",
  "Tenant",
  "FuelTaxExpense",
  "OperatorSettlementExpense",
  "ObligationExpense",
  "ObligationLiability",
] as const;

export const ledgerProof = z
  .object({
    status: z.enum(["Proven", "Pending", "Frozen"]).meta({
      description:
        "Proven: the auditor has gone through every journal up to `lastSequence`. Pending: it is still on its way there. Frozen: a check failed, or an operator stopped the book; nothing is appended until it is released.",
    }),
    asOf: timestamp,
    lastSequence: z.int().meta({ description: "The newest journal's gap-free number; 0 before the first." }),
    headHash: sha256.nullable().meta({
      description: "The head of the chain: SHA-256 over the head before and the newest journal's digest.",
    }),
    trialBalance: z
      .array(
        z.object({
          layer,
          currency,
          debitCents: balanceCents,
          creditCents: balanceCents,
          differenceCents: balanceCents.meta({ description: "Zero in a sound book." }),
        }),
      )
      .meta({ description: "Everything that was ever entered, per layer and currency." }),
    equation: z
      .object({
        heldCents: balanceCents.meta({ description: "Settlement cash and stablecoin wallet, posted." }),
        owedCents: balanceCents.meta({
          description: "Your accounts, Suspense, and obligations less their expense, posted.",
        }),
        differenceCents: balanceCents.meta({ description: "Zero in a sound book." }),
      })
      .meta({ description: "Money held for others is money owed to them." }),
    lastSeal: z
      .object({ firstSequence: z.int(), lastSequence: z.int(), headHash: sha256, sealedAt: timestamp })
      .nullable()
      .meta({
        description: "Each commit of journals ends with a seal: the chain's head and the totals then.",
      }),
    audit: z.object({
      auditedSequence: z.int().meta({ description: "How far the auditor has gone through the journals." }),
      auditedAt: timestamp.nullable().meta({ description: "When it was last at the newest journal." }),
      passedAt: timestamp
        .nullable()
        .meta({ description: "When it last ended a pass over the whole book, from its first journal." }),
    }),
    frozenAt: timestamp.nullable(),
    faults: z
      .array(z.object({ check: z.string(), detail: z.string() }))
      .meta({ description: "What the auditor found, where it froze the book." }),
  })
  .meta({ id: "LedgerProof" });
export type LedgerProof = z.infer<typeof ledgerProof>;

export const ledgerJournal = z
  .object({
    sequence: z.int().meta({ description: "Gap-free in the book, from 1." }),
    kind: z.enum(journalKinds),
    transactionId: idSchema("lt"),
    paymentOrderId: idSchema("po").nullable(),
    commandId: z.uuid(),
    resolvesSequence: z.int().nullable().meta({ description: "The hold that it settles or releases." }),
    reversesSequence: z.int().nullable().meta({ description: "The journal that it offsets." }),
    effectiveAt: timestamp,
    recordedAt: z.iso
      .datetime({ precision: 6 })
      .meta({ description: "RFC 3339, UTC, with microseconds: it rises with the sequence." }),
    digest: sha256.meta({ description: "SHA-256 of the journal's canonical form." }),
    entries: z.array(
      z.object({
        ledgerAccountId: idSchema("la"),
        currency,
        layer,
        role: z
          .enum(["Normal", "Discharge"])
          .meta({ description: "Discharge: the opposite Pending line that ends a hold." }),
        direction: entryDirection,
        amountCents: z.int().min(1).meta({ description: "In cents." }),
        version: z.int().meta({ description: "The account's entries so far, this one included." }),
        runningTotals: sixCounters.meta({
          description: `Of the account, after this entry: ${counterNames}.`,
        }),
      }),
    ),
    seal: z
      .object({
        firstSequence: z.int(),
        headHash: sha256,
        postedDebitCents: counter,
        postedCreditCents: counter,
        pendingDebitCents: counter,
        pendingCreditCents: counter,
        classTotals: z
          .array(
            z.object({
              class: z.enum(accountClasses),
              normalBalance: z.enum(["Credit", "Debit"]),
              currency,
              totals: sixCounters,
            }),
          )
          .meta({ description: "Of every class of accounts that held anything then." }),
      })
      .nullable()
      .meta({
        description: "Where a batch ended with it: the chain's head and the sums of all entries so far.",
      }),
  })
  .meta({ id: "LedgerJournal" });
export type LedgerJournal = z.infer<typeof ledgerJournal>;

export const ledgerJournalQuery = z.strictObject({
  ...pageQuery,
  afterSequence: z.coerce
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .default(0)
    .meta({ description: "Begin behind this journal; 0 begins at the first." }),
});
export const ledgerJournalPage = pageOf(ledgerJournal).meta({ id: "LedgerJournalPage" });
