import type { LedgerJournal } from "../../../../contracts/http/ledger/ledger-proof.ts";
import type { BookId } from "../../../../contracts/ids/ids.ts";
import type { Counters } from "../../book/account.ts";
import type { Digested } from "../../book/canonical.ts";
import type { Checkpoint } from "./hash-chain.ts";
import type { Entry, Journal } from "../../book/journal.ts";

/** A journal with its digest, record time and checkpoint, as in an export and `GET /v1/ledger/journals`. */
export interface RecordedJournal extends Digested {
  readonly journal: Journal;
  readonly digest: string;
  readonly checkpoint: Checkpoint | null;
}

/** Six counters as texts, because they may exceed what a JSON number holds exactly. */
export function textsOf(counters: Counters): string[] {
  const { heldDebit, heldCredit, releasedDebit, releasedCredit, postedDebit, postedCredit } = counters;
  return [heldDebit, heldCredit, releasedDebit, releasedCredit, postedDebit, postedCredit].map(String);
}

/** Throws if they are not six whole numbers. */
export function countersIn(texts: readonly string[]): Counters {
  const [heldDebit, heldCredit, releasedDebit, releasedCredit, postedDebit, postedCredit] = texts;
  return {
    heldDebit: numberIn(heldDebit),
    heldCredit: numberIn(heldCredit),
    releasedDebit: numberIn(releasedDebit),
    releasedCredit: numberIn(releasedCredit),
    postedDebit: numberIn(postedDebit),
    postedCredit: numberIn(postedCredit),
  };
}

export function toRecord({
  journal,
  digest,
  digestVersion,
  recordedAt,
  checkpoint,
}: RecordedJournal): LedgerJournal {
  return {
    sequence: journal.sequence,
    kind: journal.kind,
    transactionId: journal.transactionId,
    paymentOrderId: journal.orderId,
    commandId: journal.commandId,
    resolvesSequence: journal.resolves,
    reversesSequence: journal.reverses,
    effectiveAt: journal.effectiveAt,
    recordedAt,
    digest,
    digestVersion,
    detailsDigest: journal.detailsDigest,
    entries: journal.entries.map((entry) => ({
      ledgerAccountId: entry.accountId,
      currency: entry.currency as "USD",
      layer: entry.layer,
      role: entry.role,
      direction: entry.direction,
      amountCents: Number(entry.amountCents),
      version: entry.version,
      runningTotals: textsOf(entry.totals),
    })),
    seal: checkpoint === null ? null : checkpointRecord(checkpoint),
  };
}

function checkpointRecord({
  firstSequence,
  head,
  totals,
  classes,
}: Checkpoint): NonNullable<LedgerJournal["seal"]> {
  return {
    firstSequence,
    headHash: head,
    postedDebitCents: String(totals.postedDebit),
    postedCreditCents: String(totals.postedCredit),
    pendingDebitCents: String(totals.pendingDebit),
    pendingCreditCents: String(totals.pendingCredit),
    classTotals: classes.map(({ counters, ...of }) => ({
      class: of.class,
      normalBalance: of.normalBalance,
      currency: of.currency as "USD",
      totals: textsOf(counters),
    })),
  };
}

/** A journal as in an export, also of version 1, which has no such members. */
export type ExportedJournal = Omit<LedgerJournal, "digestVersion" | "detailsDigest"> &
  Partial<Pick<LedgerJournal, "digestVersion" | "detailsDigest">>;

/** The inverse of `toRecord`. Throws if a figure is not a number. */
export function fromRecord(record: ExportedJournal, book: BookId): RecordedJournal {
  const { seal } = record;
  return {
    journal: {
      book,
      sequence: record.sequence,
      kind: record.kind,
      transactionId: record.transactionId,
      orderId: record.paymentOrderId,
      commandId: record.commandId,
      resolves: record.resolvesSequence,
      reverses: record.reversesSequence,
      effectiveAt: record.effectiveAt,
      detailsDigest: record.detailsDigest ?? null,
      entries: record.entries.map(entryIn),
    },
    digest: record.digest,
    // Exports of version 1 have none.
    digestVersion: record.digestVersion ?? 1,
    recordedAt: record.recordedAt,
    checkpoint:
      seal === null
        ? null
        : {
            firstSequence: seal.firstSequence,
            head: seal.headHash,
            totals: {
              postedDebit: numberIn(seal.postedDebitCents),
              postedCredit: numberIn(seal.postedCreditCents),
              pendingDebit: numberIn(seal.pendingDebitCents),
              pendingCredit: numberIn(seal.pendingCreditCents),
            },
            classes: seal.classTotals.map(({ totals, ...of }) => ({ ...of, counters: countersIn(totals) })),
          },
  };
}

function entryIn(entry: LedgerJournal["entries"][number], index: number): Entry {
  return {
    line: index + 1,
    accountId: entry.ledgerAccountId,
    currency: entry.currency,
    layer: entry.layer,
    role: entry.role,
    direction: entry.direction,
    amountCents: BigInt(entry.amountCents),
    version: entry.version,
    totals: countersIn(entry.runningTotals),
  };
}

function numberIn(text: string | undefined): bigint {
  if (text === undefined) throw new TypeError("a figure is missing");
  return BigInt(text);
}
