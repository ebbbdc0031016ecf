import type { LedgerAccountId } from "../../../contracts/ids/ids.ts";
import { type Account, countEntry } from "./account.ts";
import { accountIn, type Book, type Outcome } from "./book-state.ts";
import { requestHash } from "./canonical.ts";
import { type LedgerCommand, transactionOf } from "./commands.ts";
import type { Entry, Journal, JournalKind, Line } from "./journal.ts";
import { decideAccrual } from "./decide/accrual.ts";
import { decideAssignment, decideInbound } from "./decide/inbound.ts";
import { decideHold, decideLateReturn, decideResolution, decideSuspense } from "./decide/hold.ts";
import { decidePosting, decidePendingResolution, decideReversal } from "./decide/posting.ts";
import { type Rejection, rejectOverdraft, rejectOutOfRange } from "./rejections.ts";
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
  /** The command was decided before: its stored outcome, said again. */
  | { readonly kind: "Repeat"; readonly outcome: Outcome }
  | { readonly kind: "Invalid"; readonly code: InvalidCommandCode; readonly reason: string };

/**
 * Decides one command against a book, and nothing else does. Pure: gives the outcome and the journal with its entries
 * in place, changes nothing; `advance` moves the book. Postgres checks every rule again by its own means.
 */
export function decide(book: Book, command: LedgerCommand): Decision {
  const hash = requestHash(book.id, command);
  const known = book.outcomes.get(command.commandId);
  if (known !== undefined) {
    return known.requestHash === hash
      ? { kind: "Repeat", outcome: known.outcome }
      : {
          kind: "Invalid",
          code: "command_conflict",
          reason: `command ${command.commandId} was another request`,
        };
  }
  const verdict = decideByKind(book, command);
  if ("invalid" in verdict) return { kind: "Invalid", code: verdict.invalid, reason: verdict.reason };
  if ("code" in verdict) return refusedOutcome(command, hash, verdict);
  const { entries, after } = numberEntries(book, verdict.lines);
  if (verdict.refusable !== false) {
    for (const [id, account] of after) {
      const floor = verdict.refusable === true ? rejectOverdraft(accountIn(book, id), account) : null;
      const reason = rejectOutOfRange(account) ?? floor;
      if (reason !== null) return refusedOutcome(command, hash, reason);
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
      resolves: verdict.resolves ?? null,
      reverses: verdict.reverses ?? null,
      effectiveAt: command.effectiveAt,
      entries,
    },
  };
}

function refusedOutcome(command: LedgerCommand, hash: string, reason: Rejection): Decision {
  const outcome = { result: "Refused", transactionId: transactionOf(command), ...reason } as const;
  return { kind: "Refuse", requestHash: hash, outcome, journal: null };
}

function decideByKind(book: Book, command: LedgerCommand): DraftDecision {
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
    case "Assign":
      return decideAssignment(book, command);
  }
}

/** A command is named after the journal that it becomes, but for these. */
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

/** Gives lines their place: numbered, each with its account's next version and the counters after it. */
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
