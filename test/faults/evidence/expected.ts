/** What must be true at the end, computed from the plan alone and not from the service. */
import type { Ending, PlannedOrder } from "../load/plan.ts";

const statusesByEnding: Readonly<Record<Ending, readonly string[]>> = {
  Completed: ["submitted", "pending", "processing", "completed"],
  Failed: ["submitted", "pending", "processing", "failed"],
  Returned: ["submitted", "pending", "processing", "returned"],
  ReturnedLate: ["submitted", "pending", "processing", "completed", "returned"],
  Unfunded: ["submitted", "failed"],
};

/** The events of one order as its receiver gets them, by the order's sequence. */
export function expectedEvents({ ending }: PlannedOrder): string[] {
  return statusesByEnding[ending].map((name, index) => `${String(index + 1)} payment_order.${name}`);
}

export function expectedEventCount(orders: readonly PlannedOrder[]): number {
  return orders.reduce((sum, { ending }) => sum + statusesByEnding[ending].length, 0);
}

const journalsByEnding: Readonly<Record<Ending, readonly string[]>> = {
  Completed: ["Hold", "Settle"],
  Failed: ["Hold", "Release"],
  Returned: ["Hold", "Release"],
  ReturnedLate: ["Hold", "Settle", "LateReturn"],
  Unfunded: [],
};

/** The journals of an order's one ledger transaction, in their order. */
export function expectedJournals({ ending }: PlannedOrder): readonly string[] {
  return journalsByEnding[ending];
}

/** The lines of an order in the bank's own book: its settlement, and a return after it. */
export function expectedBankLines({ rail, direction, amountCents, ending }: PlannedOrder): string[] {
  if (rail === "Book") return [];
  const [out, back] = direction === "Credit" ? ["Out", "In"] : ["In", "Out"];
  const settled = `Settlement ${String(out)} ${String(amountCents)}`;
  if (ending === "Completed") return [settled];
  if (ending === "ReturnedLate") return [settled, `Return ${String(back)} ${String(amountCents)}`];
  return [];
}

/** How many instructions the rails got: one for each order with a hold, except Book. */
export function expectedInstructions(orders: readonly PlannedOrder[]): number {
  return orders.filter(({ rail, ending }) => rail !== "Book" && ending !== "Unfunded").length;
}

/** Posted cents of each account by its id: the orders that completed and were not returned. */
export function expectedPosted(orders: readonly PlannedOrder[]): Map<string, number> {
  const posted = new Map<string, number>();
  const move = (account: string, cents: number) => posted.set(account, (posted.get(account) ?? 0) + cents);
  for (const { accountId, rail, direction, amountCents, to, ending } of orders) {
    move(accountId, 0);
    if (ending !== "Completed") continue;
    const cents = direction === "Credit" ? -amountCents : amountCents;
    move(accountId, cents);
    if (rail === "Book" && to !== undefined) move(to, -cents);
  }
  return posted;
}

/** Posted cents of cash at the bank and of coins in the wallet: collections minus payments. */
export function expectedAssets(orders: readonly PlannedOrder[]): {
  SettlementCash: number;
  StablecoinWallet: number;
} {
  const assets = { SettlementCash: 0, StablecoinWallet: 0 };
  for (const { rail, direction, amountCents, ending } of orders) {
    if (ending !== "Completed" || rail === "Book") continue;
    const asset = rail === "Usdc" ? "StablecoinWallet" : "SettlementCash";
    assets[asset] += direction === "Credit" ? -amountCents : amountCents;
  }
  return assets;
}
