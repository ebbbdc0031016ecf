import type { BankAccount, BankSide, ItemReason } from "../../../../contracts/http/ledger/reconciliations.ts";
import type { LedgerTransactionId, PaymentOrderId } from "../../../../contracts/ids/ids.ts";

/** A movement of the settlement account or the wallet, from the bank's record or the ledger's. */
export interface Movement {
  readonly source: "BankLine" | "LedgerEntry";
  /** Statement number and line, or sequence and line. */
  readonly number: number;
  readonly line: number;
  readonly account: BankAccount;
  readonly side: BankSide;
  readonly amountCents: bigint;
  /** Identifies it in both records: the order, or else the bank's reference. */
  readonly matchKey: string;
  readonly reference: string | null;
  readonly orderId: PaymentOrderId | null;
  readonly transactionId: LedgerTransactionId | null;
  readonly kind: string;
  readonly occurredAt: Date;
  /**
   * In real time: when the ledger appended the entry, or when the bank issued the statement with the line. Null for an
   * item that an earlier run left open, unless it is a bank line in transit.
   */
  readonly recordedAt: Date | null;
  /** The banking day of the run that saw it first. */
  readonly firstSeen: string;
}

/** The key of a movement without an order: the bank's reference. */
export function keyOfReference(reference: string): string {
  return `ref ${reference}`;
}

export interface Matching {
  /** The number of bank lines that matched ledger entries, or each other. */
  readonly matchedCount: number;
  /** Movements that have no counterpart. */
  readonly unmatched: readonly Movement[];
  /** Bank lines that offset one another, without a ledger entry. */
  readonly offsetting: readonly Movement[];
  /** Those of them that are in `unmatched` again, because the ledger may still book them. */
  readonly reopened: readonly Movement[];
  /** Keys of `unmatched` that are on both sides, with different amounts. */
  readonly differing: ReadonlySet<string>;
}

/**
 * Matches bank lines with ledger entries of the same account and key. First, each line is paired with the oldest entry
 * of its side and amount. Then the remaining movements of a key match as a group if both sides have the same total.
 * That happens when the bank settles and returns a payment within the completion delay, and the ledger books neither;
 * or when the bank misprints a line, reverses it and prints the right one, and the ledger booked it once.
 */
export function matchLines(movements: readonly Movement[]): Matching {
  const unmatched: Movement[] = [];
  const offsetting: Movement[] = [];
  const differing = new Set<string>();
  let matchedCount = 0;
  for (const [key, group] of Map.groupBy(movements, ({ account, matchKey }) => `${account} ${matchKey}`)) {
    const rest = withoutEqualPairs(group);
    const open = balanceOf(rest) === 0n ? [] : rest;
    if (open.length === 0 && rest.every(({ source }) => source === "BankLine")) offsetting.push(...rest);
    const lines = (of: readonly Movement[]) => ofSource(of, "BankLine").length;
    matchedCount += lines(group) - lines(open);
    if (lines(open) > 0 && lines(open) < open.length) differing.add(key);
    unmatched.push(...open);
  }
  return { matchedCount, unmatched, offsetting, reopened: [], differing };
}

/**
 * Keeps bank lines of an order open that offset one another while the order's hold is open: the ledger may still book
 * the settlement and then the return, and would find no line for the first.
 */
export function reopenWhileHoldOpen(
  { matchedCount, unmatched, offsetting, differing }: Matching,
  { settlements }: Pick<ExpectedPostings, "settlements">,
): Matching {
  const reopened = offsetting.filter(({ orderId }) => orderId !== null && settlements.has(orderId));
  return {
    matchedCount: matchedCount - reopened.length,
    unmatched: [...unmatched, ...reopened],
    offsetting,
    reopened,
    differing,
  };
}

/** Pairs each bank line with the oldest entry of its side and amount, and returns the movements that remain. */
function withoutEqualPairs(group: readonly Movement[]): Movement[] {
  const [lines, entries] = [ofSource(group, "BankLine"), ofSource(group, "LedgerEntry")];
  const alike = ({ side, amountCents }: Movement) => `${side} ${amountCents}`;
  const newestFirst = Map.groupBy(entries.toReversed(), alike);
  const alone = lines.filter((line) => newestFirst.get(alike(line))?.pop() === undefined);
  return [...alone, ...[...newestFirst.values()].flat()];
}

function ofSource(movements: readonly Movement[], wanted: Movement["source"]): Movement[] {
  return movements.filter(({ source }) => source === wanted);
}

/** The bank's total minus the ledger's, in cents. */
export function balanceOf(movements: readonly Movement[]): bigint {
  return movements.reduce((sum, movement) => {
    const signed = movement.side === "In" ? movement.amountCents : -movement.amountCents;
    return movement.source === "BankLine" ? sum + signed : sum - signed;
  }, 0n);
}

export interface OpenItem extends Movement {
  readonly inTransit: boolean;
  readonly reason: ItemReason;
}

/** Orders whose bank lines the ledger is expected to book. */
export interface ExpectedPostings {
  /** Their hold was not released before the statement's end, and they had not settled at the cutoff. */
  readonly settlements: ReadonlySet<PaymentOrderId>;
  /** They have settled, also after the cutoff, and no return of them was booked at the cutoff. */
  readonly returns: ReadonlySet<PaymentOrderId>;
}

export interface ComparisonTimes {
  /** When the statement ends, on the book's clock. */
  readonly endsAt: Date;
  /** When the ledger was read, on the book's clock. */
  readonly readAt: Date;
  /** The same in real time: a clock may stand. */
  readonly readAtReal: Date;
  /** From this real time on, the ledger may have appended an entry whose movement the bank was still committing. */
  readonly appendedFrom: Date;
}

/** Each side books the other's movement within moments. After a minute, one that is not booked counts as lost. */
const bookingDelayMs = 60_000;

/**
 * Classifies the movements without a counterpart, oldest first. These are in transit: a settlement line whose order is
 * held; its offsetting line; an inbound or return line younger than a minute, unless the ledger has booked it with
 * another amount; a ledger entry that takes effect after the statement's end. Anything else is unmatched. A line is a
 * minute old when the book's clock says so, or when its statement was issued a minute ago in real time.
 *
 * The bank may put a movement of the last minute on the next statement, because it was still committing it. The ledger
 * can append such an entry only after that (`appendedFrom`), so an entry of the last minute that was appended then is
 * in transit too.
 */
export function classifyOpenItems(
  { unmatched, reopened, differing }: Matching,
  expected: ExpectedPostings,
  times: ComparisonTimes,
): OpenItem[] {
  const awaited = new Set(reopened);
  const keyAndSide = ({ account, side, matchKey }: Movement) => `${account} ${side} ${matchKey}`;
  const booked = new Set(ofSource(unmatched, "LedgerEntry").map(keyAndSide));
  const isAwaited = (line: Movement) =>
    awaited.has(line) || (!booked.has(keyAndSide(line)) && isExpected(line, expected, times));
  return unmatched
    .map((movement): OpenItem => {
      const { source, account, matchKey } = movement;
      if (source === "BankLine" && isAwaited(movement)) {
        return { ...movement, inTransit: true, reason: "NotYetBooked" };
      }
      if (source === "LedgerEntry" && isOnNextStatement(movement, times)) {
        return { ...movement, inTransit: true, reason: "NotYetAtBank" };
      }
      const oneSided = source === "BankLine" ? "NoLedgerEntry" : "NoBankLine";
      const reason = differing.has(`${account} ${matchKey}`) ? "AmountDiffers" : oneSided;
      return { ...movement, inTransit: false, reason };
    })
    .sort(
      (a, b) => a.occurredAt.getTime() - b.occurredAt.getTime() || a.number - b.number || a.line - b.line,
    );
}

function isOnNextStatement(
  { occurredAt, recordedAt }: Movement,
  { endsAt, appendedFrom }: ComparisonTimes,
): boolean {
  if (occurredAt >= endsAt) return true;
  const isAppendedLater = recordedAt !== null && recordedAt >= appendedFrom;
  return isAppendedLater && occurredAt.getTime() >= endsAt.getTime() - bookingDelayMs;
}

function isExpected(
  { orderId, kind, occurredAt, recordedAt }: Movement,
  expected: ExpectedPostings,
  { readAt, readAtReal }: ComparisonTimes,
): boolean {
  if (kind === "Settlement") return orderId !== null && expected.settlements.has(orderId);
  if (readAt.getTime() - occurredAt.getTime() >= bookingDelayMs) return false;
  if (recordedAt !== null && readAtReal.getTime() - recordedAt.getTime() >= bookingDelayMs) return false;
  // A return without an order is of none: the ledger books it to Suspense.
  return kind === "Inbound" || (kind === "Return" && (orderId === null || expected.returns.has(orderId)));
}
