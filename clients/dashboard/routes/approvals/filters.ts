import type { Waiting } from "../../api/approvals/approvals.ts";
import { isOfLedger } from "../../api/approvals/decidable.ts";
import { readPages } from "../../parts/page/read-search.ts";
import { type OrderFilters, rails } from "../orders/filters.ts";

export const amounts = [1_000, 10_000, 100_000] as const;
export const sorts = ["largest"] as const;

/** The filters of the inbox as they stand in its address. */
export interface InboxFilters {
  readonly rail?: OrderFilters["rail"];
  /** US dollars, in full: orders of this amount and of larger ones. */
  readonly from?: (typeof amounts)[number] | undefined;
  /** Without it the API's order: what expires first is first, and proposals are last. */
  readonly sort?: (typeof sorts)[number] | undefined;
}

/** What the address of the screen says. */
export interface ApprovalsView extends InboxFilters {
  /** What is shown beside the list. */
  readonly order?: string | undefined;
  /** Without it, what waits for the reader. */
  readonly tab?: "others" | "decided" | undefined;
  /** The cursors of the pages of decided orders before this one. */
  readonly pages?: readonly string[] | undefined;
}

/** Reads the address by hand: what a reader may have typed there is checked value by value. */
export function readApprovalsView({ order, tab, ...search }: Record<string, unknown>): ApprovalsView {
  return {
    order: typeof order === "string" ? order : undefined,
    tab: tab === "others" || tab === "decided" ? tab : undefined,
    pages: tab === "decided" ? readPages(search).pages : undefined,
    ...readInboxFilters(search),
  };
}

export function readInboxFilters({ rail, from, sort }: Record<string, unknown>): InboxFilters {
  return {
    rail: rails.find((one) => one === rail),
    from: amounts.find((one) => one === from),
    sort: sorts.find((one) => one === sort),
  };
}

export function narrows({ rail, from }: InboxFilters): boolean {
  return rail !== undefined || from !== undefined;
}

/** Proposals have no rail, and those outside of the ledger no amount: a filter hides them, a sort puts them last. */
export function filtered(
  entries: readonly Waiting[],
  { rail, from, sort }: InboxFilters,
): readonly Waiting[] {
  const left = entries.filter(
    (entry) =>
      (rail === undefined || (entry.kind === "order" && entry.order.rail === rail)) &&
      (from === undefined || centsOf(entry) >= from * 100),
  );
  return sort === "largest" ? left.toSorted((one, other) => centsOf(other) - centsOf(one)) : left;
}

function centsOf(entry: Waiting): number {
  if (entry.kind === "order") return entry.order.amountCents;
  return isOfLedger(entry) ? entry.proposal.amountCents : 0;
}
