import type { LedgerAccountOwner } from "../../../typescript/types.gen.ts";

/** The filters of the list of accounts as they stand in its address. */
export interface AccountFilters {
  readonly owner?: LedgerAccountOwner;
  /** Exactly this name. */
  readonly name?: string;
  /** The cursors of the pages before this one. */
  readonly pages?: readonly string[];
}

export const ranges = ["hour", "day", "month", "year"] as const;
export type Range = (typeof ranges)[number];

/** What the address of an account's page says: how far back its chart goes, and at which time balances are shown. */
export interface AccountView {
  readonly range?: Range;
  readonly asOf?: string;
  readonly pages?: readonly string[];
}

export function readAccountFilters({ owner, name, pages }: Record<string, unknown>): AccountFilters {
  return {
    ...(owner === "System" ? { owner } : {}),
    ...(typeof name === "string" || typeof name === "number" ? { name: String(name) } : {}),
    ...pagesOf(pages),
  };
}

export function readAccountView({ range, asOf, pages }: Record<string, unknown>): AccountView {
  const known = ranges.find((one) => one === range);
  return {
    ...(known === undefined ? {} : { range: known }),
    // Kept as it is: the page says that a time can't be read, and does not show the balances of another one.
    ...(asOf === undefined ? {} : { asOf: typeof asOf === "string" ? asOf : "" }),
    ...pagesOf(pages),
  };
}

function pagesOf(pages: unknown): { readonly pages?: readonly string[] } {
  return Array.isArray(pages) ? { pages: pages.filter((page) => typeof page === "string") } : {};
}
