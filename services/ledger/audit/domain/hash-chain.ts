import type { LedgerAccountId } from "../../../../contracts/ids/ids.ts";
import { type DigestedJournal, digestOf, headAfter } from "../../book/canonical.ts";
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

/** What a seal says of its book up to its last journal; all in cents. */
export interface CheckpointTotals {
  readonly postedDebit: bigint;
  readonly postedCredit: bigint;
  readonly pendingDebit: bigint;
  readonly pendingCredit: bigint;
}

/** A seal as it rests behind the last journal of its batch. */
export interface Checkpoint {
  readonly firstSequence: number;
  readonly head: string;
  readonly totals: CheckpointTotals;
  /** Of the classes that held anything then. */
  readonly classes: readonly ClassTotal[];
}

/** As much of a journal as the one that resolves or reverses it is compared with. */
export interface Origin {
  readonly kind: JournalKind;
  readonly transactionId: string;
  readonly orderId: string | null;
  readonly lines: readonly Line[];
}

/** How far a walk along the chain has come. Times are texts of one width (microseconds, UTC), which sort as they are. */
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
 * A walk along one book's journals: no gap, rising times, digests, the chain, exact resolutions and reversals, and what
 * was sealed of it. Pure: whoever walks brings the journals. Stop at the first fault, for nothing holds after it.
 */
export class HashChainVerifier {
  #state: ChainState;

  constructor(from: ChainState) {
    this.#state = from;
  }

  get state(): ChainState {
    return this.#state;
  }

  /** The next journal; `origin` is what it resolves or reverses. */
  step(
    journal: DigestedJournal,
    recorded: { readonly digest: string; readonly recordedAt: string },
    origin: Origin | null,
  ): Violation | null {
    const { sequence, head, recordedAt, totals } = this.#state;
    if (journal.sequence !== sequence + 1) {
      return {
        check: "the sequence has no gap",
        detail: `journal ${journal.sequence} follows journal ${sequence}`,
      };
    }
    if (digestOf(journal) !== recorded.digest) {
      return { check: "every digest covers its journal", detail: `journal ${journal.sequence}` };
    }
    if (recorded.recordedAt <= recordedAt) {
      return { check: "record time rises with the sequence", detail: `journal ${journal.sequence}` };
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

  /** The seal behind the journal that was stepped to last. */
  verifyCheckpoint(seal: Checkpoint): Violation | null {
    const { sequence, head, checkpointSequence, totals } = this.#state;
    if (seal.firstSequence !== checkpointSequence + 1) {
      const detail = `seal of journals ${seal.firstSequence} to ${sequence}, the one before ends at ${checkpointSequence}`;
      return { check: "seals cover the sequence", detail };
    }
    if (seal.head !== head) {
      return { check: "the chain verifies", detail: `the seal after journal ${sequence} has another head` };
    }
    const wrong = (Object.keys(totals) as (keyof CheckpointTotals)[]).find(
      (name) => seal.totals[name] !== totals[name],
    );
    if (wrong !== undefined) {
      const detail = `the seal after journal ${sequence} says ${seal.totals[wrong]} cents ${wrong}, the entries ${totals[wrong]}`;
      return { check: "seals hold the totals of their time", detail };
    }
    this.#state = { ...this.#state, checkpointSequence: sequence };
    return null;
  }

  /** The book's end as its head says it. */
  verifyHead(head: { readonly lastSequence: number; readonly head: string }): Violation | null {
    const { sequence, head: walked, checkpointSequence, totals } = this.#state;
    if (sequence !== head.lastSequence) {
      const detail = `journals end at ${sequence}, the head at ${head.lastSequence}`;
      return { check: "the sequence has no gap", detail };
    }
    if (walked !== head.head) {
      return { check: "the chain verifies", detail: "the head is not that of the last journal" };
    }
    if (checkpointSequence !== sequence) {
      return {
        check: "seals cover the sequence",
        detail: `seals end at ${checkpointSequence}, journals at ${sequence}`,
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

/** True for what opens, and for the exact mirror of an origin that its kind permits. */
function isExact(journal: DigestedJournal, origin: Origin | null): boolean {
  const sequel = originOf(journal) !== null;
  if (!sequel) return !isSequel(journal.kind);
  if (origin === null || !fits(journal, origin)) return false;
  const expected = linesThatMustBe(journal.kind, origin.lines);
  const suspense = chartAccountId(journal.book, "Suspense");
  return (
    expected.length === journal.entries.length &&
    expected.every((line, place) => {
      const found = journal.entries[place];
      return found !== undefined && isSame(line, found, suspense);
    })
  );
}

function isSequel(kind: JournalKind): boolean {
  return kind === "Settle" || kind === "Release" || kind === "LateReturn" || kind === "Reverse";
}

function fits(journal: DigestedJournal, origin: Origin): boolean {
  if (journal.transactionId !== origin.transactionId || journal.orderId !== origin.orderId) return false;
  switch (journal.kind) {
    case "Settle":
    case "Release":
      return journal.resolves !== null && origin.kind === "Hold";
    case "LateReturn":
      return journal.reverses !== null && origin.kind === "Settle";
    case "Reverse":
      return journal.reverses !== null && (origin.kind === "Post" || origin.kind === "Settle");
    default:
      return false;
  }
}

function linesThatMustBe(kind: JournalKind, origin: readonly Line[]): Line[] {
  if (kind === "Settle") return settlementLines(origin);
  return kind === "Release" ? releaseLines(origin) : offsettingLines(origin);
}

/** Suspense may stand where money was forced on a closed account. */
function isSame(expected: Line, found: Line, suspense: LedgerAccountId): boolean {
  return (
    (found.accountId === expected.accountId || (found.layer === "Posted" && found.accountId === suspense)) &&
    found.currency === expected.currency &&
    found.layer === expected.layer &&
    found.role === expected.role &&
    found.direction === expected.direction &&
    found.amountCents === expected.amountCents
  );
}
