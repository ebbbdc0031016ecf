import type { OrderDirection, PaymentOrderStatus, Rail } from "../../typescript/types.gen.ts";

/** The filters of the list of orders as they stand in its address. What is no filter is left out. */
export interface OrderFilters {
  readonly status?: PaymentOrderStatus | undefined;
  readonly rail?: Rail | undefined;
  readonly direction?: OrderDirection | undefined;
  readonly externalId?: string | undefined;
  readonly counterpartyId?: string | undefined;
  /** The cursors of the pages before this one, so that "Previous" finds back. */
  readonly pages?: readonly string[];
}

export const statuses = [
  "Draft",
  "Submitted",
  "Pending",
  "Processing",
  "Completed",
  "Failed",
  "Returned",
  "Cancelled",
] as const satisfies readonly PaymentOrderStatus[];
export const rails = ["Ach", "SameDayAch", "Rtp", "Wire", "Book", "Usdc"] as const satisfies readonly Rail[];
export const directions = ["Credit", "Debit"] as const satisfies readonly OrderDirection[];

/** Reads the address by hand: what a reader may have typed there is checked value by value. */
export function readOrderFilters(search: Record<string, unknown>): OrderFilters {
  const { status, rail, direction, externalId, counterpartyId, pages } = search;
  return {
    ...only("status", oneOf(statuses, status)),
    ...only("rail", oneOf(rails, rail)),
    ...only("direction", oneOf(directions, direction)),
    ...only("externalId", textOf(externalId)),
    ...only("counterpartyId", textOf(counterpartyId)),
    ...only("pages", Array.isArray(pages) ? pages.filter((page) => typeof page === "string") : undefined),
  };
}

function oneOf<T extends string>(known: readonly T[], value: unknown): T | undefined {
  return known.find((one) => one === value);
}

/** A reference of digits is a number in the address, and a text here. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function only<K extends string, T>(name: K, value: T | undefined): Partial<Record<K, T>> {
  return value === undefined ? {} : ({ [name]: value } as Record<K, T>);
}

export function hasFilter({ pages: _pages, ...filters }: OrderFilters): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}
