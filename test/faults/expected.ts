/** What must be true at the end, computed from the plan alone: nothing here asks the service. */
import type { Ending, PlannedOrder } from "./plan.ts";

const story: Readonly<Record<Ending, readonly string[]>> = {
  Completed: ["submitted", "pending", "processing", "completed"],
  Failed: ["submitted", "pending", "processing", "failed"],
  Returned: ["submitted", "pending", "processing", "returned"],
  ReturnedLate: ["submitted", "pending", "processing", "completed", "returned"],
  Unfunded: ["submitted", "failed"],
};

/** The events of one order as its owner hears them, by the order's own count. */
export function expectedEvents({ ending }: PlannedOrder): string[] {
  return story[ending].map((name, index) => `${String(index + 1)} payment_order.${name}`);
}

export function expectedEventCount(orders: readonly PlannedOrder[]): number {
  return orders.reduce((sum, { ending }) => sum + story[ending].length, 0);
}

const journals: Readonly<Record<Ending, readonly string[]>> = {
  Completed: ["Hold", "Settle"],
  Failed: ["Hold", "Release"],
  Returned: ["Hold", "Release"],
  ReturnedLate: ["Hold", "Settle", "LateReturn"],
  Unfunded: [],
};

/** The journals of an order's one ledger transaction, in their order. */
export function expectedJournals({ ending }: PlannedOrder): readonly string[] {
  return journals[ending];
}

/** What the bank's own book has of an order: what settled, and what came back after that. */
export function expectedBankLines({ rail, direction, amountCents, ending }: PlannedOrder): string[] {
  if (rail === "Book") return [];
  const [out, back] = direction === "Credit" ? ["Out", "In"] : ["In", "Out"];
  const settled = `Settlement ${String(out)} ${String(amountCents)}`;
  if (ending === "Completed") return [settled];
  if (ending === "ReturnedLate") return [settled, `Return ${String(back)} ${String(amountCents)}`];
  return [];
}

/** How many instructions the rails were given: one for each order that got past its hold, Book apart. */
export function expectedInstructions(orders: readonly PlannedOrder[]): number {
  return orders.filter(({ rail, ending }) => rail !== "Book" && ending !== "Unfunded").length;
}

/** Posted cents of each account by its id; what stayed is what completed and did not come back. */
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

/** Posted cents of cash at the bank and of coins in the wallet: what was collected less what was paid out. */
export function expectedAssets(orders: readonly PlannedOrder[]): {
  SettlementCash: number;
  StablecoinWallet: number;
} {
  const assets = { SettlementCash: 0, StablecoinWallet: 0 };
  for (const { rail, direction, amountCents, ending } of orders) {
    if (ending !== "Completed" || rail === "Book") continue;
    const place = rail === "Usdc" ? "StablecoinWallet" : "SettlementCash";
    assets[place] += direction === "Credit" ? -amountCents : amountCents;
  }
  return assets;
}
