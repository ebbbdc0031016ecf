import type { LedgerAccountId } from "../../../../contracts/ids/ids.ts";
import { type Digested, type DigestedJournal, digestOf, headAfter } from "../../book/canonical.ts";
import type { Violation } from "../../book/violation.ts";
import type { ClassTotal } from "../../book/accounting-equation.ts";
import { chartAccountId } from "../../book/chart-of-accounts.ts";
import {
  type JournalKind,
  type Line,
  offsettingLines,
  releaseLines,
  settlementLines,
} from "../../book/journal.ts";

/** Totals of a book up to a checkpoint, in cents. */
export interface CheckpointTotals {
  readonly postedDebit: bigint;
  readonly postedCredit: bigint;
  readonly pendingDebit: bigint;
  readonly pendingCredit: bigint;
}

/** The checkpoint that is stored with the last journal of a batch. */
export interface Checkpoint {
  readonly firstSequence: number;
  readonly head: string;
  readonly totals: CheckpointTotals;
  /** Only classes that were not zero. */
  readonly classes: readonly ClassTotal[];
}

/** The part of a journal that its resolution or reversal is compared with. */
export interface Origin {
  readonly kind: JournalKind;
  readonly transactionId: string;
  readonly orderId: string | null;
  readonly lines: readonly Line[];
}

/** The state after a journal. Times are texts of one width (microseconds, UTC), so they sort as text. */
export interface ChainState {
  readonly sequence: number;
  readonly head: string;
  readonly checkpointSequence: number;
  readonly recordedAt: string;
  readonly totals: CheckpointTotals;
}

export function emptyChain(head: string): ChainState {
  const totals = { postedDebit: 0n, postedCredit: 0n, pendingDebit: 0n, pendingCredit: 0n };
  return { sequence: 0, head, checkpointSequence: 0, recordedAt: "", totals };
}

/**
 * Verifies one book's journals in order: no gap, rising times, digests, the hash chain, exact resolutions and
 * reversals, and checkpoints. Pure: the caller passes the journals. Stop at the first violation: every later head
 * depends on it.
 */
export class HashChainVerifier {
  #state: ChainState;

  constructor(from: ChainState) {
    this.#state = from;
  }

  get state(): ChainState {
    return this.#state;
  }

  /** Verifies the next journal; `origin` is the one that it resolves or reverses. */
  step(
    journal: DigestedJournal,
    recorded: Digested & { readonly digest: string },
    origin: Origin | null,
  ): Violation | null {
    const { sequence, head, recordedAt, totals } = this.#state;
    if (journal.sequence !== sequence + 1) {
      return {
        check: "the sequence has no gap",
        detail: `journal ${journal.sequence} follows journal ${sequence}`,
      };
    }
    if (recorded.recordedAt <= recordedAt) {
      return { check: "record time rises with the sequence", detail: `journal ${journal.sequence}` };
    }
    if (digestOf(journal, recorded) !== recorded.digest) {
      return { check: "every digest covers its journal", detail: `journal ${journal.sequence}` };
    }
    if (!isExact(journal, origin)) {
      return { check: "resolutions and reversals are exact", detail: `journal ${journal.sequence}` };
    }
    this.#state = {
      ...this.#state,
      sequence: journal.sequence,
      head: headAfter(head, recorded.digest),
      recordedAt: recorded.recordedAt,
      totals: totalsAfter(totals, journal.entries),
    };
    return null;
  }

  /** Verifies the checkpoint after the last journal. */
  verifyCheckpoint(checkpoint: Checkpoint): Violation | null {
    const { sequence, head, checkpointSequence, totals } = this.#state;
    if (checkpoint.firstSequence !== checkpointSequence + 1) {
      const detail = `checkpoint of journals ${checkpoint.firstSequence} to ${sequence}, the one before ends at ${checkpointSequence}`;
      return { check: "checkpoints cover the sequence", detail };
    }
    if (checkpoint.head !== head) {
      return {
        check: "the chain verifies",
        detail: `the checkpoint after journal ${sequence} has another head`,
      };
    }
    const wrong = (Object.keys(totals) as (keyof CheckpointTotals)[]).find(
      (name) => checkpoint.totals[name] !== totals[name],
    );
    if (wrong !== undefined) {
      const detail = `the checkpoint after journal ${sequence} says ${checkpoint.totals[wrong]} cents ${wrong}, the entries ${totals[wrong]}`;
      return { check: "checkpoints hold the totals of their time", detail };
    }
    this.#state = { ...this.#state, checkpointSequence: sequence };
    return null;
  }

  /** Verifies that the book's head is the last journal. */
  verifyHead(head: { readonly lastSequence: number; readonly head: string }): Violation | null {
    const { sequence, head: computed, checkpointSequence, totals } = this.#state;
    if (sequence !== head.lastSequence) {
      const detail = `journals end at ${sequence}, the head at ${head.lastSequence}`;
      return { check: "the sequence has no gap", detail };
    }
    if (computed !== head.head) {
      return { check: "the chain verifies", detail: "the head is not that of the last journal" };
    }
    if (checkpointSequence !== sequence) {
      return {
        check: "checkpoints cover the sequence",
        detail: `checkpoints end at ${checkpointSequence}, journals at ${sequence}`,
      };
    }
    if (totals.postedDebit !== totals.postedCredit || totals.pendingDebit !== totals.pendingCredit) {
      const detail = `posted ${totals.postedDebit - totals.postedCredit}, pending ${totals.pendingDebit - totals.pendingCredit} cents off`;
      return { check: "every layer and currency of the trial balance is zero", detail };
    }
    return null;
  }
}

/** The journal that a journal resolves or reverses. */
export function originOf({ resolves, reverses }: DigestedJournal): number | null {
  return resolves ?? reverses;
}

function totalsAfter(before: CheckpointTotals, lines: readonly Line[]): CheckpointTotals {
  let { postedDebit, postedCredit, pendingDebit, pendingCredit } = before;
  for (const { layer, direction, amountCents } of lines) {
    if (layer === "Posted") {
      if (direction === "Debit") postedDebit += amountCents;
      else postedCredit += amountCents;
    } else if (direction === "Debit") pendingDebit += amountCents;
    else pendingCredit += amountCents;
  }
  return { postedDebit, postedCredit, pendingDebit, pendingCredit };
}

/**
 * True for a journal that opens a transaction, and for one whose lines are exactly those that its kind requires after
 * its origin.
 */
function isExact(journal: DigestedJournal, origin: Origin | null): boolean {
  if (originOf(journal) === null) return !needsOrigin(journal.kind);
  if (origin === null || !mayFollow(journal, origin)) return false;
  const expected = expectedLines(journal.kind, origin.lines);
  // A tenant requests a reversal; the bank does not force it. So it never goes to Suspense.
  const suspense = journal.kind === "Reverse" ? null : chartAccountId(journal.book, "Suspense");
  return (
    expected.length === journal.entries.length &&
    expected.every((line, index) => {
      const found = journal.entries[index];
      return found !== undefined && isSame(line, found, suspense);
    })
  );
}

function needsOrigin(kind: JournalKind): boolean {
  return kind === "Settle" || kind === "Release" || kind === "LateReturn" || kind === "Reverse";
}

function mayFollow(journal: DigestedJournal, origin: Origin): boolean {
  if (journal.transactionId !== origin.transactionId || journal.orderId !== origin.orderId) return false;
  switch (journal.kind) {
    case "Settle":
    case "Release":
      return journal.resolves !== null && origin.kind === "Hold";
    case "LateReturn":
      return journal.reverses !== null && journal.orderId !== null && origin.kind === "Settle";
    // An order's settlement comes back by LateReturn alone.
    case "Reverse":
      return journal.reverses !== null && journal.orderId === null && isPosted(origin.kind);
    default:
      return false;
  }
}

function isPosted(kind: JournalKind): boolean {
  return kind === "Post" || kind === "Settle";
}

function expectedLines(kind: JournalKind, origin: readonly Line[]): Line[] {
  if (kind === "Settle") return settlementLines(origin);
  return kind === "Release" ? releaseLines(origin) : offsettingLines(origin);
}

/** Suspense may replace an account that was closed when the bank forced the movement. */
function isSame(expected: Line, found: Line, suspense: LedgerAccountId | null): boolean {
  return (
    (found.accountId === expected.accountId || (found.layer === "Posted" && found.accountId === suspense)) &&
    found.currency === expected.currency &&
    found.layer === expected.layer &&
    found.role === expected.role &&
    found.direction === expected.direction &&
    found.amountCents === expected.amountCents
  );
}
