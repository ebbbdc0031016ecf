import type { Side } from "../../book/account.ts";

/** What a statement needs to know about a posted entry. */
export interface Movement {
  /** The New York day for which it counts. */
  readonly effective_on: string;
  readonly account_version: bigint;
  readonly direction: Side;
  readonly amount_cents: bigint;
}

/**
 * Where a statement stands after a line. It travels in the cursor with the balances of the first page and the account's
 * version at that time: later pages leave out what was posted since, so all pages agree with those balances.
 */
export interface Position {
  readonly pinnedVersion: bigint;
  readonly openingCents: bigint;
  readonly closingCents: bigint;
  readonly balanceCents: bigint;
  /** The version of the last listed entry that counts for the day of its record. */
  readonly version: bigint;
  /** Day and version of the last listed entry that counts for another day. */
  readonly dated: { readonly on: string; readonly version: bigint };
}

/** A movement with the position after it. */
export type Listed<M> = M & { readonly after: Position };

/**
 * Merges entries that count for the day of their record with those that count for another day, by day and then by
 * version, and adds the balance after each. Both are sorted already.
 */
export function mergeMovements<M extends Movement>(
  sameDay: readonly M[],
  otherDay: readonly M[],
  start: Position,
  normalBalance: Side,
  limit: number,
): Listed<M>[] {
  const merged: Listed<M>[] = [];
  let after = start;
  let [same, other] = [0, 0];
  while (merged.length < limit) {
    const [a, b] = [sameDay[same], otherDay[other]];
    const isSame = a !== undefined && (b === undefined || comesFirst(a, b));
    const next = isSame ? a : b;
    if (next === undefined) break;
    if (isSame) same += 1;
    else other += 1;
    const version = next.account_version;
    after = {
      ...after,
      balanceCents:
        after.balanceCents + (next.direction === normalBalance ? next.amount_cents : -next.amount_cents),
      ...(isSame ? { version } : { dated: { on: next.effective_on, version } }),
    };
    merged.push({ ...next, after });
  }
  return merged;
}

function comesFirst(a: Movement, b: Movement): boolean {
  return a.effective_on === b.effective_on
    ? a.account_version < b.account_version
    : a.effective_on < b.effective_on;
}

/** The position as the text of a cursor. */
export function writePosition({ dated, ...at }: Position): string {
  const numbers = [at.pinnedVersion, at.openingCents, at.closingCents, at.balanceCents, at.version];
  return [...numbers, dated.on, dated.version].join(" ");
}

/** The position in a text of `writePosition`. */
export function readPosition(text: string): Position {
  const [pinned = "", opening = "", closing = "", balance = "", version = "", on = "", dated = ""] =
    text.split(" ");
  return {
    pinnedVersion: BigInt(pinned),
    openingCents: BigInt(opening),
    closingCents: BigInt(closing),
    balanceCents: BigInt(balance),
    version: BigInt(version),
    dated: { on, version: BigInt(dated) },
  };
}
