import type { LedgerAccountId } from "../../../contracts/ids/ids.ts";
import { type Account, countEntry } from "./account.ts";
import { accountIn, type Book, type Outcome } from "./book-state.ts";
import { requestHash } from "./canonical.ts";
import { type LedgerCommand, transactionOf } from "./commands.ts";
import type { Entry, Journal, JournalKind, Line } from "./journal.ts";
import { decideAccrual } from "./decide/accrual.ts";
import { decideAssignment, decideInbound, decideUnmatchedReturn } from "./decide/inbound.ts";
import { decideHold, decideLateReturn, decideResolution, decideSuspense } from "./decide/hold.ts";
import { decidePosting, decidePendingResolution, decideReversal } from "./decide/posting.ts";
import { rejectBeyond, type Rejection } from "./rejections.ts";
import type { InvalidCommandCode, DraftDecision } from "./decision.ts";

export type Decision =
  | {
      readonly kind: "Append";
      readonly requestHash: string;
      readonly outcome: Outcome;
      readonly journal: Journal;
    }
  | {
      readonly kind: "Refuse";
      readonly requestHash: string;
      readonly outcome: Outcome;
      readonly journal: null;
    }
  /** The command was decided before: its stored outcome. */
  | { readonly kind: "Repeat"; readonly outcome: Outcome }
  | { readonly kind: "Invalid"; readonly code: InvalidCommandCode; readonly reason: string };

/**
 * Decides one command against a book; nothing else decides. Pure: it returns the outcome and the journal, and changes
 * nothing. `evolve` applies them to the book. Postgres checks the journal again, independently.
 */
export function decide(book: Book, command: LedgerCommand): Decision {
  const hash = requestHash(book.id, command);
  const earlier = book.outcomes.get(command.commandId);
  if (earlier !== undefined) {
    if (earlier.requestHash === hash) return { kind: "Repeat", outcome: earlier.outcome };
    const reason = `command ${command.commandId} was already used for another request`;
    return { kind: "Invalid", code: "command_conflict", reason };
  }
  const draft = draftByKind(book, command);
  if ("invalid" in draft) return { kind: "Invalid", code: draft.invalid, reason: draft.reason };
  if ("code" in draft) return refused(command, hash, draft);
  const { entries, after } = numberEntries(book, draft.lines);
  if (draft.limits !== "None") {
    for (const [id, account] of after) {
      const rejection = rejectBeyond(draft.limits, accountIn(book, id), account);
      if (rejection !== null) return refused(command, hash, rejection);
    }
  }
  const transactionId = transactionOf(command);
  const sequence = book.lastSequence + 1;
  return {
    kind: "Append",
    requestHash: hash,
    outcome: { result: "Appended", transactionId, sequence },
    journal: {
      book: book.id,
      sequence,
      kind: journalKindOf(command),
      transactionId,
      orderId: "orderId" in command ? command.orderId : null,
      commandId: command.commandId,
      resolves: draft.resolves ?? null,
      reverses: draft.reverses ?? null,
      effectiveAt: draft.effectiveAt ?? dateOf(command),
      detailsDigest: ("detailsDigest" in command ? command.detailsDigest : null) ?? null,
      entries,
    },
  };
}

/**
 * The command's own date, for a rule that sets none. Only manual commands may lack a date, and their rules set one.
 */
function dateOf({ kind, effectiveAt }: LedgerCommand): string {
  if (effectiveAt === null) throw new TypeError(`a ${kind} has no effective date`);
  return effectiveAt;
}

function refused(command: LedgerCommand, hash: string, rejection: Rejection): Decision {
  const outcome = { result: "Refused", transactionId: transactionOf(command), ...rejection } as const;
  return { kind: "Refuse", requestHash: hash, outcome, journal: null };
}

function draftByKind(book: Book, command: LedgerCommand): DraftDecision {
  switch (command.kind) {
    case "Hold":
      return decideHold(book, command);
    case "Settle":
    case "Release":
      return decideResolution(book, command);
    case "LateReturn":
      return decideLateReturn(book, command);
    case "Suspense":
      return decideSuspense(book, command);
    case "Post":
    case "OpenPending":
      return decidePosting(book, command);
    case "PostPending":
    case "VoidPending":
      return decidePendingResolution(book, command);
    case "Reverse":
      return decideReversal(book, command);
    case "Accrue":
      return decideAccrual(book, command);
    case "Inbound":
      return decideInbound(book, command);
    case "UnmatchedReturn":
      return decideUnmatchedReturn(book, command);
    case "Assign":
      return decideAssignment(book, command);
  }
}

/**
 * A command is named after its journal, except these. A manual transaction in two phases (pending, then post or void)
 * is journaled as an order's: Hold, then Settle or Release.
 */
const journalKinds = {
  Suspense: "Post",
  OpenPending: "Hold",
  PostPending: "Settle",
  VoidPending: "Release",
} as const satisfies Partial<Record<LedgerCommand["kind"], JournalKind>>;

function journalKindOf({ kind }: LedgerCommand): JournalKind {
  return kind in journalKinds
    ? journalKinds[kind as keyof typeof journalKinds]
    : (kind as Exclude<typeof kind, keyof typeof journalKinds>);
}

/** Numbers the lines, and gives each its account's next version and the counters after it. */
function numberEntries(
  book: Book,
  lines: readonly Line[],
): { entries: Entry[]; after: Map<LedgerAccountId, Account> } {
  const after = new Map<LedgerAccountId, Account>();
  const entries = lines.map((line, index): Entry => {
    const account = after.get(line.accountId) ?? accountIn(book, line.accountId);
    const counters = countEntry(account.counters, line.layer, line.role, line.direction, line.amountCents);
    const version = account.version + 1;
    after.set(line.accountId, { ...account, version, counters });
    return { ...line, line: index + 1, version, totals: counters };
  });
  return { entries, after };
}
