import type { ErrorCode } from "../../../contracts/errors.ts";
import { isId, type LedgerAccountId } from "../../../contracts/ids/ids.ts";
import { maxBalanceCents } from "../../../contracts/money.ts";
import { type Account, balancesOf, type Counters, maxGrossCents } from "./account.ts";
import { accountIn, type Book } from "./book-state.ts";
import { isSystem } from "./chart-of-accounts.ts";
import type { AssignCommand, HoldCommand, ManualLine } from "./commands.ts";

/** Why a command is refused: a code of the error catalogue, and what the caller can do. */
export interface Rejection {
  readonly code: ErrorCode;
  readonly detail: string;
  /** The account that caused it, if any. */
  readonly accountId?: LedgerAccountId;
  /** That account's available balance, if it is too low. */
  readonly availableCents?: bigint;
}

/**
 * The limits that may refuse a journal; each has those before it.
 * - None: what the bank forces is booked, even below zero.
 * - Gross: the post of a manual hold. No debits or credits may add up to more than an account counts.
 * - Range: a correction, or a charge for what a bank took. It is booked even below zero, but refused beyond the largest
 *   balance.
 * - All: holds and postings, which may not overdraw an account either.
 */
export type Limits = "None" | "Gross" | "Range" | "All";

/** The accounts that a hold names: each must be postable, they must differ, and both must be Credit-normal. */
export function rejectHold(book: Book, command: HoldCommand): Rejection | null {
  const { contra, ledgerAccountId, currency } = command;
  const own = rejectUnpostable(book.accounts.get(ledgerAccountId), ledgerAccountId, currency);
  if (own !== null) return own;
  const named = [ledgerAccountId];
  if (contra.kind === "LedgerAccount") {
    if (contra.ledgerAccountId === ledgerAccountId) {
      return {
        code: "same_account",
        detail: "The payment would go from the account to itself. Name another counterparty account.",
      };
    }
    const other = rejectUnpostable(
      book.accounts.get(contra.ledgerAccountId),
      contra.ledgerAccountId,
      currency,
    );
    if (other !== null) return other;
    named.push(contra.ledgerAccountId);
  }
  for (const id of named) {
    const rejection = rejectDebitNormal(accountIn(book, id));
    if (rejection !== null) return rejection;
  }
  return null;
}

/** The accounts of a manual transaction, in the order of its lines. */
export function rejectPosting(book: Book, lines: readonly ManualLine[]): Rejection | null {
  for (const { ledgerAccountId, currency } of lines) {
    const rejection = rejectUnpostable(book.accounts.get(ledgerAccountId), ledgerAccountId, currency);
    if (rejection !== null) return rejection;
  }
  return null;
}

/** The account that an inbound payment in Suspense is assigned to. */
export function rejectAssignment(book: Book, { ledgerAccountId, currency }: AssignCommand): Rejection | null {
  const account = book.accounts.get(ledgerAccountId);
  return (
    rejectUnpostable(account, ledgerAccountId, currency) ??
    rejectDebitNormal(accountIn(book, ledgerAccountId))
  );
}

/**
 * The one rule for an account that a tenant names: it exists, it is the tenant's own, it is open, and it has the
 * currency. `named` is how the tenant named it. `currency` is left out where no amount is named yet.
 */
export function rejectUnpostable(
  account: Account | undefined,
  named: string,
  currency?: string,
): Rejection | null {
  if (account === undefined) {
    const detail = `No ledger account ${named} in this book. Check its id, or its name (exact, case-sensitive).`;
    return { code: "ledger_account_not_found", detail, ...(isId("la", named) && { accountId: named }) };
  }
  const { id: accountId, name } = account;
  if (isSystem(account.class)) {
    const detail = `Only the service posts to ${name}. Name an account of your own.`;
    return { code: "system_account_not_postable", accountId, detail };
  }
  if (account.closed) {
    return { code: "ledger_account_closed", accountId, detail: `${name} is closed. Name an open account.` };
  }
  if (currency !== undefined && account.currency !== currency) {
    const detail = `${name} is in ${account.currency}, the amount is in ${currency}. Use one currency.`;
    return { code: "currency_mismatch", accountId, detail };
  }
  return null;
}

/** Only Credit-normal accounts can pay or be paid: a hold counts as outgoing on its debit side. */
export function rejectDebitNormal({ name, normalBalance }: Account): Rejection | null {
  if (normalBalance === "Credit") return null;
  const detail = `${name} is a Debit-normal account. Name an account whose normalBalance is Credit.`;
  return { code: "invalid_field", detail };
}

/** Debits must equal credits in each currency. */
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

/** The first limit that an account would pass with the journal's last line. */
export function rejectBeyond(
  limits: Exclude<Limits, "None">,
  before: Account,
  after: Account,
): Rejection | null {
  const gross = rejectGrossTotal(limits, before, after);
  if (gross !== null || limits === "Gross") return gross;
  return rejectOutOfRange(after) ?? (limits === "All" ? rejectOverdraft(before, after) : null);
}

/** What clears it, by the journal's limits. */
const advice = {
  Gross: "Void the transaction, and post the money between other accounts.",
  Range: "Post the correction between other accounts.",
  All: "Use another account.",
} as const;

/**
 * No counter that the journal raises may pass `maxGrossCents`: an account counts up to 2^63, and the other half is kept
 * for what the bank forces. A hold must leave room for its later posting, which for an order can't be refused.
 */
function rejectGrossTotal(
  limits: Exclude<Limits, "None">,
  before: Account,
  after: Account,
): Rejection | null {
  const now = grossTotalsOf(after.counters);
  if (now.every((cents) => cents <= maxGrossCents)) return null;
  const then = grossTotalsOf(before.counters);
  if (now.every((cents, index) => cents <= maxGrossCents || cents <= (then[index] ?? 0n))) return null;
  return {
    code: "balance_out_of_range",
    accountId: after.id,
    detail: `All debits, or all credits, of ${after.name} would add up to more than ${maxGrossCents} cents. ${
      isSystem(after.class) ? "Ask for another tenant: this book can't take more." : advice[limits]
    }`,
  };
}

/** The six counters, and each posted one with what is still held on its side. */
function grossTotalsOf(counters: Counters): bigint[] {
  const { heldDebit, heldCredit, releasedDebit, releasedCredit, postedDebit, postedCredit } = counters;
  return [
    heldDebit,
    heldCredit,
    releasedDebit,
    releasedCredit,
    postedDebit,
    postedCredit,
    postedDebit + heldDebit - releasedDebit,
    postedCredit + heldCredit - releasedCredit,
  ];
}

/**
 * After the journal's last line, every balance must be within the range that a JSON number holds exactly. A settlement
 * can't be refused, so a hold must leave room for its later posting.
 */
function rejectOutOfRange(after: Account): Rejection | null {
  const now = balancesOf(after.normalBalance, after.counters);
  const extremes = [now.posted, now.pending, now.available, now.posted + now.pendingInbound];
  if (extremes.every((cents) => cents <= maxBalanceCents && cents >= -maxBalanceCents)) return null;
  return {
    code: "balance_out_of_range",
    accountId: after.id,
    detail: `A balance of ${after.name} would exceed ±${maxBalanceCents} cents. Use another account.`,
  };
}

/**
 * Checks for sufficient funds once per account, after the journal's last line. Rejects only on an account that refuses
 * overdraft, and only a journal that lowers its available balance.
 */
function rejectOverdraft(before: Account, after: Account): Rejection | null {
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
