import type { LedgerAccountId } from "../../../../contracts/ids/ids.ts";
import { type AccountClass, countEntry, type Counters, type Side, zeroCounters } from "../../book/account.ts";
import type { Violation } from "../../book/violation.ts";
import type { ClassTotal } from "../../book/accounting-equation.ts";
import type { Entry } from "../../book/journal.ts";

/** An account as the entries so far make it. */
export interface ReplayedAccount {
  readonly class: AccountClass;
  readonly normalBalance: Side;
  readonly currency: string;
  readonly version: number;
  /** The last journal that touched it. */
  readonly lastSequence: number;
  readonly counters: Counters;
}

/** As much of a journal as a fold needs. */
export interface ReplayedJournal {
  readonly sequence: number;
  readonly entries: readonly Entry[];
}

/**
 * Folds one book's entries in their order: every journal balances within each layer and currency, every entry's running
 * totals are those of its account's entries so far, and so, in the end, is every balance and every class total. Pure:
 * whoever folds brings the accounts as they stood before the first journal.
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
        return { check: "running totals are the fold of an account's entries", detail };
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

  /** An account's balance as the book keeps it. */
  verifyBalance(
    id: LedgerAccountId,
    kept: { readonly version: number; readonly lastSequence: number; readonly counters: Counters },
  ): Violation | null {
    const folded = this.#accounts.get(id);
    const same =
      folded !== undefined &&
      folded.version === kept.version &&
      folded.lastSequence === kept.lastSequence &&
      isEqual(folded.counters, kept.counters);
    return same
      ? null
      : { check: "every balance is its last entry's running totals", detail: `account ${id}` };
  }

  /** A class total as the book keeps it. */
  verifyClassTotal(kept: ClassTotal): Violation | null {
    if (isEqual(this.#classOf(kept).counters, kept.counters)) return null;
    const detail = `${kept.class} ${kept.normalBalance} ${kept.currency}`;
    return { check: "class totals are the sums of their accounts", detail };
  }

  /** The class totals that a seal behind the last journal keeps: those of every class that holds anything. */
  verifyCheckpoint(sequence: number, kept: readonly ClassTotal[]): Violation | null {
    const said = new Map(kept.map((total) => [classKey(total), total.counters]));
    const off = (of: Omit<ClassTotal, "counters">) =>
      !isEqual(this.#classOf(of).counters, said.get(classKey(of)) ?? zeroCounters);
    const wrong = [...kept, ...this.#classes.values()].find(off);
    if (wrong === undefined) return null;
    const detail = `the seal after journal ${sequence}, ${classKey(wrong)}`;
    return { check: "seals hold the class totals of their time", detail };
  }

  /** What the classes add up to so far. */
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
