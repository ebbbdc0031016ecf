import { type BookId, derivedUuid, idOf, type LedgerAccountId } from "../../../contracts/ids/ids.ts";
import type { Rail } from "../../../contracts/rails/rails.ts";
import type { AccountClass, Side } from "./account.ts";

export interface ChartAccount {
  readonly class: AccountClass;
  readonly name: string;
  readonly normalBalance: Side;
}

/** Created with each book. Assets and expenses are Debit-normal, liabilities are Credit-normal. */
export const chartOfAccounts = [
  { class: "SettlementCash", name: "Settlement cash", normalBalance: "Debit" },
  { class: "StablecoinWallet", name: "Stablecoin wallet", normalBalance: "Debit" },
  { class: "Suspense", name: "Suspense", normalBalance: "Credit" },
  { class: "FuelTaxExpense", name: "Fuel tax expense", normalBalance: "Debit" },
  { class: "OperatorSettlementExpense", name: "Operator settlement expense", normalBalance: "Debit" },
  { class: "ObligationExpense", name: "Obligation expense", normalBalance: "Debit" },
] as const satisfies readonly ChartAccount[];
export type ChartClass = (typeof chartOfAccounts)[number]["class"];

/** The account at the bank that a rail moves money through: the wallet for Usdc, otherwise the settlement account. */
export function bankClassOf(rail: Exclude<Rail, "Book">): "SettlementCash" | "StablecoinWallet" {
  return rail === "Usdc" ? "StablecoinWallet" : "SettlementCash";
}

/** The chart's currency: the service moves dollars only. */
export const chartCurrency = "USD";

const maxRemembered = 10_000;
const remembered = new Map<string, LedgerAccountId>();

/**
 * Derived from the book's id, so that two writers who create a book at once create the same chart. Remembered, because
 * an order needs several, and each costs a hash.
 */
export function chartAccountId(book: BookId, accountClass: ChartClass): LedgerAccountId {
  const key = `${book}/${accountClass}`;
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const id = idOf("la", derivedUuid(book, `chart/${accountClass}`));
  if (remembered.size >= maxRemembered) remembered.clear();
  remembered.set(key, id);
  return id;
}

/** True for a class whose accounts belong to the service: a tenant neither creates them nor posts to them. */
export function isSystem(accountClass: AccountClass): boolean {
  return accountClass !== "Tenant";
}
