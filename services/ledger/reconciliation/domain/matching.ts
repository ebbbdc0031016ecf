import type { BankAccount, BankSide, ItemReason } from "../../../../contracts/http/ledger/reconciliations.ts";
import type { LedgerTransactionId, PaymentOrderId } from "../../../../contracts/ids/ids.ts";

/** A movement of the settlement account or the wallet, as one of the two records has it. */
export interface Movement {
  readonly source: "BankLine" | "LedgerEntry";
  /** Statement number and line, or sequence and line. */
  readonly number: number;
  readonly line: number;
  readonly account: BankAccount;
  readonly side: BankSide;
  readonly amountCents: bigint;
  /** What both records know it by: the order, or else the bank's reference. */
  readonly matchKey: string;
  readonly reference: string | null;
  readonly orderId: PaymentOrderId | null;
  readonly transactionId: LedgerTransactionId | null;
  readonly kind: string;
  readonly occurredAt: Date;
  /** The banking day of the run that met it first. */
  readonly firstSeen: string;
}

/** What no order of ours is known by: the bank's own reference. */
export function keyOfReference(reference: string): string {
  return `ref ${reference}`;
}

export interface Pairing {
  /** Bank lines that found their ledger entries, or each other. */
  readonly matchedCount: number;
  /** What stands on one side only. */
  readonly left: readonly Movement[];
  /** Bank lines that undo one another, and that no ledger entry goes with. */
  readonly undone: readonly Movement[];
  /** Keys of `left` that both sides know, with other amounts. */
  readonly differing: ReadonlySet<string>;
}

/**
 * Pairs bank lines with ledger entries: of one key and account, first each with one of the same side and amount; then
 * what is left of a key as a whole, where both sides come to the same. (The bank settles and returns within the return
 * window: the ledger books neither. The bank misprints, takes it back and prints it right: the ledger booked it once.)
 */
export function pairUp(movements: readonly Movement[]): Pairing {
  const left: Movement[] = [];
  const undone: Movement[] = [];
  const differing = new Set<string>();
  let matchedCount = 0;
  for (const [key, group] of Map.groupBy(movements, ({ account, matchKey }) => `${account} ${matchKey}`)) {
    const rest = withoutEqualPairs(group);
    const settled = balanceOf(rest) === 0n ? [] : rest;
    if (settled.length === 0 && rest.every(({ source }) => source === "BankLine")) undone.push(...rest);
    const lines = (of: readonly Movement[]) => ofSource(of, "BankLine").length;
    matchedCount += lines(group) - lines(settled);
    if (lines(settled) > 0 && lines(settled) < settled.length) differing.add(key);
    left.push(...settled);
  }
  return { matchedCount, left, undone, differing };
}

/**
 * What the bank settled and returned while the order is still held stays open: the ledger may book both yet, one after
 * the other, and the first of them would find nothing.
 */
export function reopenHeld(
  { matchedCount, left, undone, differing }: Pairing,
  { settlements }: Pick<Awaited, "settlements">,
): Pairing {
  const held = undone.filter(({ orderId }) => orderId !== null && settlements.has(orderId));
  return { matchedCount: matchedCount - held.length, left: [...left, ...held], undone: held, differing };
}

/** Each bank line takes the oldest entry of its side and amount. */
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

/** What the bank moved more than the ledger, in cents. */
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

/** Orders of bank lines that the ledger is known to follow. */
export interface Awaited {
  /** Their hold was open at the cutoff. */
  readonly settlements: ReadonlySet<PaymentOrderId>;
  /** They were settled, and no return of them was booked at the cutoff. */
  readonly returns: ReadonlySet<PaymentOrderId>;
}

/** The statement's end, and when the ledger was read. */
export interface Moment {
  readonly endsAt: Date;
  readonly readAt: Date;
}

/** What the bank tells is booked within moments. What is not within a minute is lost, not under way. */
const underWayMs = 60_000;

/**
 * What stands on one side only is in transit where the other side is known to follow: a bank line whose order is still
 * held, with the line that undoes it, or that was told a moment before the ledger was read, or a ledger entry that takes
 * effect after the statement's end. All else is unmatched. Oldest first.
 */
export function classify({ left, undone, differing }: Pairing, awaited: Awaited, moment: Moment): OpenItem[] {
  const undoes = new Set(undone);
  return left
    .map((movement): OpenItem => {
      const { source, occurredAt, account, matchKey } = movement;
      if (source === "BankLine" && (undoes.has(movement) || isAwaited(movement, awaited, moment.readAt))) {
        return { ...movement, inTransit: true, reason: "NotYetBooked" };
      }
      if (source === "LedgerEntry" && occurredAt >= moment.endsAt) {
        return { ...movement, inTransit: true, reason: "NotYetAtBank" };
      }
      const alone = source === "BankLine" ? "NoLedgerEntry" : "NoBankLine";
      const reason = differing.has(`${account} ${matchKey}`) ? "AmountDiffers" : alone;
      return { ...movement, inTransit: false, reason };
    })
    .sort(
      (a, b) => a.occurredAt.getTime() - b.occurredAt.getTime() || a.number - b.number || a.line - b.line,
    );
}

function isAwaited({ orderId, kind, occurredAt }: Movement, awaited: Awaited, readAt: Date): boolean {
  if (kind === "Settlement") return orderId !== null && awaited.settlements.has(orderId);
  if (readAt.getTime() - occurredAt.getTime() >= underWayMs) return false;
  return kind === "Inbound" || (kind === "Return" && orderId !== null && awaited.returns.has(orderId));
}
