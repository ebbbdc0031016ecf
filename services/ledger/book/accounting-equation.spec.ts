import { expect, it } from "vitest";
import { type Counters, zeroCounters } from "./account.ts";
import { type ClassTotal, accountingEquation, tenantTotals } from "./accounting-equation.ts";

function total(
  accountClass: ClassTotal["class"],
  counters: Partial<Counters>,
  more: Partial<ClassTotal> = {},
): ClassTotal {
  return {
    class: accountClass,
    normalBalance: "Credit",
    currency: "USD",
    counters: { ...zeroCounters, ...counters },
    ...more,
  };
}

it("holds exactly the money that is owed: cash + wallet = tenants + Suspense + (liabilities - expenses)", () => {
  const totals = [
    total("SettlementCash", { postedDebit: 900n, postedCredit: 300n }),
    total("StablecoinWallet", { postedDebit: 50n }),
    total("Tenant", { postedCredit: 500n }),
    total("Tenant", { postedDebit: 20n }, { normalBalance: "Debit" }),
    total("Suspense", { postedCredit: 70n }),
    total("ObligationLiability", { postedCredit: 400n }),
    total("FuelTaxExpense", { postedDebit: 300n }),
  ];
  expect(accountingEquation(totals)).toEqual({ heldCents: 650n, owedCents: 650n, differenceCents: 0n });
});

it("gives the difference if they are not equal", () => {
  const totals = [total("SettlementCash", { postedDebit: 10n }), total("Tenant", { postedCredit: 7n })];
  expect(accountingEquation(totals).differenceCents).toBe(3n);
});

it("totals the tenant's accounts, each from its own normal side", () => {
  const totals = [
    total("Tenant", { postedCredit: 100n, heldDebit: 30n, releasedDebit: 10n }),
    total("Tenant", { postedDebit: 40n, heldCredit: 5n }, { normalBalance: "Debit" }),
    total("Suspense", { postedCredit: 1_000n }),
  ];
  expect(Object.fromEntries(tenantTotals(totals))).toEqual({
    USD: { posted: 140n, pending: 25n, pendingInbound: 0n, available: 115n },
  });
});
