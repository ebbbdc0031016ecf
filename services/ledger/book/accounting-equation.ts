import { type AccountClass, balancesOf, type Balances, type Counters, type Side } from "./account.ts";
import type { Violation } from "./violation.ts";

/** The counters of all accounts of one class, normal side and currency, added up. */
export interface ClassTotal {
  readonly class: AccountClass;
  readonly normalBalance: Side;
  readonly currency: string;
  readonly counters: Counters;
}

/** The money at the bank and in the wallet, and what is owed for it. */
export interface AccountingEquation {
  readonly heldCents: bigint;
  readonly owedCents: bigint;
  readonly differenceCents: bigint;
}

/**
 * The equation that every checkpoint checks too: cash + wallet = tenant accounts + Suspense + (obligation liabilities −
 * obligation expenses), all posted. It proves that all money is attributed; only the bank's statement proves the cash.
 */
export function accountingEquation(totals: readonly ClassTotal[]): AccountingEquation {
  let heldCents = 0n;
  let owedCents = 0n;
  for (const { class: accountClass, counters } of totals) {
    const creditCents = counters.postedCredit - counters.postedDebit;
    if (accountClass === "SettlementCash" || accountClass === "StablecoinWallet") heldCents -= creditCents;
    else owedCents += creditCents;
  }
  return { heldCents, owedCents, differenceCents: heldCents - owedCents };
}

/** The violation if more or less is held than owed; null otherwise. */
export function equationViolation({
  heldCents,
  owedCents,
  differenceCents,
}: AccountingEquation): Violation | null {
  if (differenceCents === 0n) return null;
  return { check: "money held is money owed", detail: `${heldCents} cents held, ${owedCents} owed` };
}

/** The balances of the tenant's own accounts per currency, each counted from its own normal side. */
export function tenantTotals(totals: readonly ClassTotal[]): Map<string, Balances> {
  const sums = new Map<string, Balances>();
  for (const total of totals) {
    if (total.class !== "Tenant") continue;
    const more = balancesOf(total.normalBalance, total.counters);
    const sum = sums.get(total.currency);
    sums.set(total.currency, sum === undefined ? more : added(sum, more));
  }
  return sums;
}

function added(a: Balances, b: Balances): Balances {
  return {
    pending: a.pending + b.pending,
    pendingInbound: a.pendingInbound + b.pendingInbound,
    posted: a.posted + b.posted,
    available: a.available + b.available,
  };
}
