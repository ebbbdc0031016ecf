import type { LedgerAccountId } from "../../../../contracts/ids/ids.ts";
import { maxBalanceCents } from "../../../../contracts/money.ts";
import { balancesOf } from "../account.ts";
import { accountIn, type Book } from "../book-state.ts";
import { chartAccountId } from "../chart-of-accounts.ts";
import type { AssignCommand, SentBackCommand, UnmatchedReturnCommand } from "../commands.ts";
import type { Line } from "../journal.ts";
import { rejectAssignment } from "../rejections.ts";
import { duplicateTransaction, type DraftDecision } from "../decision.ts";

/**
 * Books an inbound payment: Dr settlement cash (Usdc: wallet), Cr the account that its number leads to. Never refused:
 * if the number leads to no account, or to one that can't take it, it is credited to Suspense until somebody assigns
 * it.
 */
export function decideInbound(book: Book, command: SentBackCommand): DraftDecision {
  if (book.transactions.has(command.transactionId)) return duplicateTransaction(command);
  const cents = BigInt(command.amountCents);
  const named = command.ledgerAccountId;
  const accountId =
    named !== null && canTake(book, named, cents) ? named : chartAccountId(book.id, "Suspense");
  const bank = chartAccountId(book.id, command.contra.kind);
  return { lines: postedPair(bank, accountId, command.currency, cents), limits: "None" };
}

/**
 * Books an unmatched return to Suspense: Dr settlement cash, Cr Suspense, or the opposite if it took money.
 * Never refused: the money has moved.
 */
export function decideUnmatchedReturn(book: Book, command: UnmatchedReturnCommand): DraftDecision {
  if (book.transactions.has(command.transactionId)) return duplicateTransaction(command);
  const suspense = chartAccountId(book.id, "Suspense");
  const bank = chartAccountId(book.id, command.contra.kind);
  const [debited, credited] = command.direction === "Credit" ? [bank, suspense] : [suspense, bank];
  const lines = postedPair(debited, credited, command.currency, BigInt(command.amountCents));
  return { lines, limits: "None" };
}

/**
 * Moves a payment from Suspense to the account that it was assigned to: Dr Suspense, Cr account. What a return took is
 * charged to the account, also below zero: Dr account, Cr Suspense. Rejections: those of the account.
 */
export function decideAssignment(book: Book, command: AssignCommand): DraftDecision {
  if (book.transactions.has(command.transactionId)) return duplicateTransaction(command);
  const rejection = rejectAssignment(book, command);
  if (rejection !== null) return rejection;
  const suspense = chartAccountId(book.id, "Suspense");
  const cents = BigInt(command.amountCents);
  return command.direction === "Credit"
    ? { lines: postedPair(suspense, command.ledgerAccountId, command.currency, cents), limits: "All" }
    : { lines: postedPair(command.ledgerAccountId, suspense, command.currency, cents), limits: "Range" };
}

/** False for a closed account, or if its balance would be too large for a JSON number: it could not be shown. */
function canTake(book: Book, id: LedgerAccountId, cents: bigint): boolean {
  const account = accountIn(book, id);
  const { posted, pendingInbound } = balancesOf(account.normalBalance, account.counters);
  return !account.closed && posted + pendingInbound + cents <= maxBalanceCents;
}

/** Posted lines: Dr `debited`, Cr `credited`. */
function postedPair(
  debited: LedgerAccountId,
  credited: LedgerAccountId,
  currency: string,
  amountCents: bigint,
): Line[] {
  const line = { currency, layer: "Posted", role: "Normal", amountCents } as const;
  return [
    { ...line, accountId: debited, direction: "Debit" },
    { ...line, accountId: credited, direction: "Credit" },
  ];
}
