import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { balanceCents, currency } from "../../money.ts";
import { namedEnum } from "../../named-enum.ts";
import { pageOf, pageQuery, sha256, timestamp } from "../shapes.ts";
import { entryDirection, entryStatus, journalKind, normalBalance } from "./ledger-accounts.ts";

const described = (description: string) => sha256.meta({ description });
const headHash = described("SHA-256 over the head before it and the last journal's digest.");
/** Counters only rise, beyond what a JSON number holds exactly: they are text. */
const counter = (description: string) => z.string().regex(/^\d+$/).meta({ description });

const counterNames = "held debit, held credit, released debit, released credit, posted debit, posted credit";
const sixCounters = (whose: string) =>
  z
    .array(z.string().regex(/^\d+$/))
    .length(6)
    .meta({ description: `${whose}, in cents, as text: ${counterNames}.` });

const accountClass = namedEnum("AccountClass", "The role of an account in its book.", {
  SettlementCash: "Money at the bank.",
  StablecoinWallet: "USDC in the wallet.",
  Suspense: "Money that could not be matched.",
  Tenant: "Your own accounts.",
  FuelTaxExpense: "Expense of fuel tax returns.",
  OperatorSettlementExpense: "Expense of operator settlements.",
  ObligationExpense: "Expense of other obligations.",
  ObligationLiability: "Liabilities of obligations.",
});

const proofStatus = namedEnum("ProofStatus", "How far the book is proven.", {
  Proven: "The auditor has checked every journal up to `lastSequence`.",
  Pending: "The auditor has not reached `lastSequence` yet.",
  Frozen: "A check failed, or an operator froze the book. Writes are refused until it is unfrozen.",
});

export const ledgerProof = z
  .object({
    status: proofStatus,
    asOf: timestamp.meta({ description: "When the proof was read." }),
    lastSequence: z.int().meta({ description: "The number of the newest journal; 0 before the first." }),
    headHash: headHash.nullable().meta({
      description:
        "The head of the hash chain: SHA-256 over the head before it and the newest journal's digest.",
    }),
    trialBalance: z
      .array(
        z.object({
          layer: entryStatus,
          currency,
          debitCents: balanceCents.meta({ description: "The sum of debits, in cents." }),
          creditCents: balanceCents.meta({ description: "The sum of credits, in cents." }),
          differenceCents: balanceCents.meta({ description: "0 in a sound book." }),
        }),
      )
      .meta({ description: "The sums of all entries ever made, per layer and currency." }),
    equation: z
      .object({
        heldCents: balanceCents.meta({
          description: "Posted settlement cash and stablecoin wallet, in cents.",
        }),
        owedCents: balanceCents.meta({
          description: "Your accounts, Suspense and obligations minus their expense, posted, in cents.",
        }),
        differenceCents: balanceCents.meta({ description: "0 in a sound book." }),
      })
      .meta({ description: "The money held for others equals the money owed to them." }),
    lastSeal: z
      .object({
        firstSequence: z.int().meta({ description: "The first journal of its batch." }),
        lastSequence: z.int().meta({ description: "The last journal of its batch." }),
        headHash,
        sealedAt: timestamp.meta({ description: "When the batch was committed." }),
      })
      .nullable()
      .meta({ description: "The newest checkpoint. Each batch of journals ends with one." }),
    audit: z
      .object({
        auditedSequence: z.int().meta({ description: "The last journal that the auditor has checked." }),
        auditedAt: timestamp
          .nullable()
          .meta({ description: "When the auditor last reached the newest journal." }),
        passedAt: timestamp
          .nullable()
          .meta({ description: "When the auditor last finished a scan of the whole book." }),
      })
      .meta({ description: "How far the service's own auditor is." }),
    frozenAt: timestamp.nullable().meta({ description: "When the book was frozen. Null if it is not." }),
    faults: z
      .array(
        z.object({
          check: z.string().meta({ description: "The check that failed." }),
          detail: z.string().meta({ description: "What the check found." }),
        }),
      )
      .meta({ description: "Why the auditor froze the book." }),
  })
  .meta({ id: "LedgerProof", description: "The evidence that the book is complete and unchanged." });
export type LedgerProof = z.infer<typeof ledgerProof>;

const entryRole = namedEnum("EntryRole", "Whether the entry ends a hold.", {
  Normal: "It does not end a hold.",
  Discharge: "The opposite Pending entry that ends a hold.",
});

export const ledgerJournal = z
  .object({
    sequence: z.int().meta({ description: "The journal's number in the book: from 1, without gaps." }),
    kind: journalKind,
    transactionId: idSchema("lt"),
    paymentOrderId: idSchema("po").nullable().meta({ description: "The order that it belongs to." }),
    commandId: z.uuid().meta({ description: "The command that it answers." }),
    resolvesSequence: z.int().nullable().meta({ description: "The hold that it settles or releases." }),
    reversesSequence: z.int().nullable().meta({ description: "The journal that it offsets." }),
    effectiveAt: timestamp.meta({ description: "When the money moved." }),
    recordedAt: z.iso
      .datetime({ precision: 6 })
      .meta({ description: "RFC 3339, UTC, with microseconds. It rises with the sequence." }),
    digest: described("Covers the journal, from version 2 on its record time and details too."),
    digestVersion: z.literal([1, 2]).meta({ description: "Which form the digest has." }),
    detailsDigest: described(
      "Covers its description, or what the bank reported. Null if it has none.",
    ).nullable(),
    entries: z
      .array(
        z.object({
          ledgerAccountId: idSchema("la"),
          currency,
          layer: entryStatus,
          role: entryRole,
          direction: entryDirection,
          amountCents: z.int().min(1).meta({ description: "The amount in cents." }),
          version: z.int().meta({ description: "The account's number of entries, with this one." }),
          runningTotals: sixCounters("The account's totals after this entry"),
        }),
      )
      .meta({ description: "The journal's entries." }),
    seal: z
      .object({
        firstSequence: z.int().meta({ description: "The first journal of its batch." }),
        headHash,
        postedDebitCents: counter("All posted debits so far, in cents, as text."),
        postedCreditCents: counter("All posted credits so far, in cents, as text."),
        pendingDebitCents: counter("All pending debits so far, in cents, as text."),
        pendingCreditCents: counter("All pending credits so far, in cents, as text."),
        classTotals: z
          .array(
            z.object({
              class: accountClass,
              normalBalance,
              currency,
              totals: sixCounters("The totals of the class"),
            }),
          )
          .meta({ description: "The totals of every class of accounts that had entries." }),
      })
      .nullable()
      .meta({ description: "The checkpoint of its batch, on the last journal of the batch." }),
  })
  .meta({ id: "LedgerJournal", description: "One balanced set of entries, with what a verifier needs." });
export type LedgerJournal = z.infer<typeof ledgerJournal>;

export const ledgerJournalQuery = z.strictObject({
  ...pageQuery,
  afterSequence: z.coerce
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .default(0)
    .meta({ description: "Start after this journal. 0 starts at the first." }),
});
export const ledgerJournalPage = pageOf(ledgerJournal).meta({
  id: "LedgerJournalPage",
  description: "One page of journals, oldest first.",
});
