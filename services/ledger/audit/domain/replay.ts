import type { LedgerAccountId } from "../../../../contracts/ids/ids.ts";
import { type AccountClass, countEntry, type Counters, type Side, zeroCounters } from "../../book/account.ts";
import type { Violation } from "../../book/violation.ts";
import type { ClassTotal } from "../../book/accounting-equation.ts";
import type { Entry } from "../../book/journal.ts";

/** An account's state after the entries so far. */
export interface ReplayedAccount {
  readonly class: AccountClass;
  readonly normalBalance: Side;
  readonly currency: string;
  readonly version: number;
  /** The last journal that touched it. */
  readonly lastSequence: number;
  readonly counters: Counters;
}

/** The part of a journal that the replay needs. */
export interface ReplayedJournal {
  readonly sequence: number;
  readonly entries: readonly Entry[];
}

/**
 * Replays one book's entries in order. Every journal must balance within each layer and currency, every entry's running
 * totals must equal the sum of its account's entries so far, and in the end so must every balance and class total.
 * Pure: the caller passes the accounts as they were before the first journal.
 */
export class BalanceReplay {
  readonly #accounts: Map<LedgerAccountId, ReplayedAccount>;
  readonly #classes = new Map<string, ClassTotal>();

  constructor(accounts: Map<LedgerAccountId, ReplayedAccount>, classes: readonly ClassTotal[] = []) {
    this.#accounts = accounts;
    for (const total of classes) this.#classes.set(classKey(total), total);
  }

  get accounts(): ReadonlyMap<LedgerAccountId, ReplayedAccount> {
    return this.#accounts;
  }

  step({ sequence, entries }: ReplayedJournal): Violation | null {
    if (entries.length < 2 || !balances(entries)) {
      return { check: "every journal balances, with all its lines", detail: `journal ${sequence}` };
    }
    for (const entry of entries) {
      const before = this.#accounts.get(entry.accountId);
      const detail = `account ${entry.accountId} at version ${entry.version}, journal ${sequence}`;
      if (before === undefined || before.currency !== entry.currency) {
        return { check: "every entry has its account, in its currency", detail };
      }
      const { layer, role, direction, amountCents, version, totals } = entry;
      const counters = countEntry(before.counters, layer, role, direction, amountCents);
      if (version !== before.version + 1 || !isEqual(counters, totals)) {
        return { check: "running totals are the sums of an account's entries", detail };
      }
      this.#accounts.set(entry.accountId, { ...before, version, lastSequence: sequence, counters });
      const total = this.#classOf(before);
      this.#classes.set(classKey(before), {
        ...total,
        counters: countEntry(total.counters, layer, role, direction, amountCents),
      });
    }
    return null;
  }

  /** Compares a stored balance. */
  verifyBalance(
    id: LedgerAccountId,
    stored: { readonly version: number; readonly lastSequence: number; readonly counters: Counters },
  ): Violation | null {
    const replayed = this.#accounts.get(id);
    const same =
      replayed !== undefined &&
      replayed.version === stored.version &&
      replayed.lastSequence === stored.lastSequence &&
      isEqual(replayed.counters, stored.counters);
    return same
      ? null
      : { check: "every balance is its last entry's running totals", detail: `account ${id}` };
  }

  /** Compares a stored class total. */
  verifyClassTotal(stored: ClassTotal): Violation | null {
    if (isEqual(this.#classOf(stored).counters, stored.counters)) return null;
    const detail = `${stored.class} ${stored.normalBalance} ${stored.currency}`;
    return { check: "class totals are the sums of their accounts", detail };
  }

  /** Compares the class totals of a checkpoint after the last journal. */
  verifyCheckpoint(sequence: number, stored: readonly ClassTotal[]): Violation | null {
    const inCheckpoint = new Map(stored.map((total) => [classKey(total), total.counters]));
    const off = (of: Omit<ClassTotal, "counters">) =>
      !isEqual(this.#classOf(of).counters, inCheckpoint.get(classKey(of)) ?? zeroCounters);
    const wrong = [...stored, ...this.#classes.values()].find(off);
    if (wrong === undefined) return null;
    const detail = `the checkpoint after journal ${sequence}, ${classKey(wrong)}`;
    return { check: "checkpoints hold the class totals of their time", detail };
  }

  /** The class totals so far. */
  classes(): ClassTotal[] {
    return [...this.#classes.values()];
  }

  #classOf(of: Omit<ClassTotal, "counters">): ClassTotal {
    const { class: accountClass, normalBalance, currency } = of;
    const known = this.#classes.get(classKey(of));
    return known ?? { class: accountClass, normalBalance, currency, counters: zeroCounters };
  }
}

export function classKey(of: Omit<ClassTotal, "counters">): string {
  return `${of.class} ${of.normalBalance} ${of.currency}`;
}

function balances(entries: readonly Entry[]): boolean {
  const sums = new Map<string, bigint>();
  for (const { layer, currency, direction, amountCents } of entries) {
    if (amountCents < 1n) return false;
    const key = layer + currency;
    sums.set(key, (sums.get(key) ?? 0n) + (direction === "Debit" ? amountCents : -amountCents));
  }
  for (const sum of sums.values()) if (sum !== 0n) return false;
  return true;
}

function isEqual(a: Counters, b: Counters): boolean {
  return (
    a.postedDebit === b.postedDebit &&
    a.postedCredit === b.postedCredit &&
    a.heldDebit === b.heldDebit &&
    a.heldCredit === b.heldCredit &&
    a.releasedDebit === b.releasedDebit &&
    a.releasedCredit === b.releasedCredit
  );
}
