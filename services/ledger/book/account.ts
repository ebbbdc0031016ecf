import type { LedgerAccountId } from "../../../contracts/ids/ids.ts";

export type Side = "Debit" | "Credit";
/** Pending reserves money, Posted moves it. A journal balances within each layer. */
export type Layer = "Pending" | "Posted";
/** Discharge is the opposite Pending line that ends a hold. */
export type Role = "Normal" | "Discharge";

/** The role of an account in its book. Tenants post to Tenant accounts only; all others are the service's. */
export type AccountClass =
  | "SettlementCash"
  | "StablecoinWallet"
  | "Suspense"
  | "Tenant"
  | "FuelTaxExpense"
  | "OperatorSettlementExpense"
  | "ObligationExpense"
  | "ObligationLiability";

/**
 * Six counters in cents that only ever rise: held, released and posted, per side. `releasedDebit` counts held debits
 * that ended; their discharge lines are credits.
 */
export interface Counters {
  readonly heldDebit: bigint;
  readonly heldCredit: bigint;
  readonly releasedDebit: bigint;
  readonly releasedCredit: bigint;
  readonly postedDebit: bigint;
  readonly postedCredit: bigint;
}

/** How far a tenant may raise a counter: half of what 64 bits hold. The bank may raise it further. */
export const maxGrossCents = 2n ** 62n;

export const zeroCounters: Counters = {
  heldDebit: 0n,
  heldCredit: 0n,
  releasedDebit: 0n,
  releasedCredit: 0n,
  postedDebit: 0n,
  postedCredit: 0n,
};

export interface Account {
  readonly id: LedgerAccountId;
  readonly name: string;
  readonly currency: string;
  readonly normalBalance: Side;
  readonly class: AccountClass;
  readonly overdraft: "Allowed" | "Refused";
  readonly closed: boolean;
  /** The number of its entries. */
  readonly version: number;
  readonly counters: Counters;
}

/** An account's balances as the API shows them, in cents. */
export interface Balances {
  /** Open outgoing holds, never negative. */
  readonly pending: bigint;
  /** Open incoming holds, never negative: a collection that has not settled. */
  readonly pendingInbound: bigint;
  readonly posted: bigint;
  /** Exactly posted minus pending; incoming money counts only once it is posted. */
  readonly available: bigint;
}

/** An account's balances, positive on its normal side. */
export function balancesOf(normalBalance: Side, counters: Counters): Balances {
  const openDebit = counters.heldDebit - counters.releasedDebit;
  const openCredit = counters.heldCredit - counters.releasedCredit;
  const net = counters.postedCredit - counters.postedDebit;
  return normalBalance === "Credit"
    ? { pending: openDebit, pendingInbound: openCredit, posted: net, available: net - openDebit }
    : { pending: openCredit, pendingInbound: openDebit, posted: -net, available: -net - openCredit };
}

/** The counters after one more entry of `amountCents`. */
export function countEntry(
  counters: Counters,
  layer: Layer,
  role: Role,
  direction: Side,
  amountCents: bigint,
): Counters {
  if (layer === "Posted") {
    return direction === "Debit"
      ? { ...counters, postedDebit: counters.postedDebit + amountCents }
      : { ...counters, postedCredit: counters.postedCredit + amountCents };
  }
  if (role === "Normal") {
    return direction === "Debit"
      ? { ...counters, heldDebit: counters.heldDebit + amountCents }
      : { ...counters, heldCredit: counters.heldCredit + amountCents };
  }
  return direction === "Credit"
    ? { ...counters, releasedDebit: counters.releasedDebit + amountCents }
    : { ...counters, releasedCredit: counters.releasedCredit + amountCents };
}
