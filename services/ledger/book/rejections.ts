import type { ErrorCode } from "../../../contracts/errors.ts";
import type { LedgerAccountId } from "../../../contracts/ids/ids.ts";
import { maxBalanceCents } from "../../../contracts/money.ts";
import { type Account, balancesOf } from "./account.ts";
import type { Book } from "./book-state.ts";
import { isSystem } from "./chart-of-accounts.ts";
import type { AssignCommand, HoldCommand, ManualLine } from "./commands.ts";

/** Why a command is not done: a code of the catalogue, and what clears it. */
export interface Rejection {
  readonly code: ErrorCode;
  readonly detail: string;
  /** The account that it is about, where it is about one, and what that had when it had too little. */
  readonly accountId?: LedgerAccountId;
  readonly availableCents?: bigint;
}

/** What is wrong with the accounts that a hold names, or null. */
export function rejectHold(book: Book, command: HoldCommand): Rejection | null {
  const { contra } = command;
  const own = rejectUnpostable(book, command.ledgerAccountId, command.currency);
  if (own !== null) return own;
  const named =
    contra.kind === "LedgerAccount"
      ? [command.ledgerAccountId, contra.ledgerAccountId]
      : [command.ledgerAccountId];
  if (contra.kind === "LedgerAccount") {
    if (contra.ledgerAccountId === command.ledgerAccountId) {
      return {
        code: "same_account",
        detail: "The payment would go from the account to itself. Name another counterparty account.",
      };
    }
    const other = rejectUnpostable(book, contra.ledgerAccountId, command.currency);
    if (other !== null) return other;
  }
  // Holds count as outgoing on the side that a Credit-normal account pays from (LEDGER: two layers).
  if (named.some((id) => book.accounts.get(id)?.normalBalance === "Debit")) {
    return {
      code: "invalid_field",
      detail: "Payment orders use Credit-normal accounts. Name one whose normalBalance is Credit.",
    };
  }
  return null;
}

/** What is wrong with a manual movement's accounts, before funds are looked at, or null. */
export function rejectPosting(book: Book, lines: readonly ManualLine[]): Rejection | null {
  for (const line of lines) {
    const reason = rejectUnpostable(book, line.ledgerAccountId, line.currency);
    if (reason !== null) return reason;
  }
  return null;
}

/** Debits and credits that differ, or null. It comes first: nothing else of an unbalanced movement counts. */
export function rejectUnbalanced(lines: readonly Omit<ManualLine, "ledgerAccountId">[]): Rejection | null {
  const sums = new Map<string, bigint>();
  for (const { currency, direction, amountCents } of lines) {
    const cents = BigInt(amountCents);
    sums.set(currency, (sums.get(currency) ?? 0n) + (direction === "Debit" ? cents : -cents));
  }
  for (const [currency, sum] of sums) {
    if (sum !== 0n) {
      return {
        code: "unbalanced_transaction",
        detail: `Debits and credits differ by ${sum < 0n ? -sum : sum} cents of ${currency}. Send lines whose debits equal their credits.`,
      };
    }
  }
  return null;
}

/** What is wrong with the account that money in Suspense shall go to, or null. */
export function rejectAssignment(book: Book, command: AssignCommand): Rejection | null {
  const reason = rejectUnpostable(book, command.ledgerAccountId, command.currency);
  if (reason !== null) return reason;
  if (book.accounts.get(command.ledgerAccountId)?.normalBalance !== "Debit") return null;
  return {
    code: "invalid_field",
    detail: "What came in is owed to somebody. Name an account whose normalBalance is Credit.",
  };
}

function rejectUnpostable(book: Book, id: LedgerAccountId, currency: string): Rejection | null {
  const account = book.accounts.get(id);
  if (account === undefined) {
    return {
      code: "ledger_account_not_found",
      accountId: id,
      detail: `There is no ledger account ${id}. Name one of this book's accounts.`,
    };
  }
  if (isSystem(account.class)) {
    return {
      code: "system_account_not_postable",
      accountId: id,
      detail: `Only the service posts to ${account.name}. Name an account of your own.`,
    };
  }
  if (account.closed) {
    return {
      code: "ledger_account_closed",
      accountId: id,
      detail: `${account.name} is closed. Name an open account.`,
    };
  }
  if (account.currency !== currency) {
    return {
      code: "currency_mismatch",
      accountId: id,
      detail: `${account.name} keeps ${account.currency}, the amount is in ${currency}. Use one currency.`,
    };
  }
  return null;
}

/**
 * Range, on the state after the journal's last line. Settlements can't be refused, so what they would post must fit
 * before a hold is placed.
 */
export function rejectOutOfRange(after: Account): Rejection | null {
  const now = balancesOf(after.normalBalance, after.counters);
  const extremes = [now.posted, now.pending, now.available, now.posted + now.pendingInbound];
  if (extremes.every((cents) => cents <= maxBalanceCents && cents >= -maxBalanceCents)) return null;
  return {
    code: "balance_out_of_range",
    accountId: after.id,
    detail: `A balance of ${after.name} would leave ±${maxBalanceCents} cents. Use another account.`,
  };
}

/**
 * Funds, once per account, on the state after the journal's last line. Only an account that refuses overdraft has a
 * floor, and only a journal that lowers its available can hit it.
 */
export function rejectOverdraft(before: Account, after: Account): Rejection | null {
  if (after.overdraft === "Allowed") return null;
  const then = balancesOf(before.normalBalance, before.counters);
  const now = balancesOf(after.normalBalance, after.counters);
  if (now.available >= 0n || now.available >= then.available) return null;
  return {
    code: "insufficient_funds",
    accountId: after.id,
    availableCents: then.available,
    detail: `${after.name} has ${then.available} cents available and refuses overdraft. Fund it, or move less.`,
  };
}
