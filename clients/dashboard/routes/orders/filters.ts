import type { OrderDirection, PaymentOrderStatus, Rail } from "../../../typescript/types.gen.ts";
import { isDay } from "../../parts/form/day.ts";
import { type PagesOnly, readPages, readText } from "../../parts/page/read-search.ts";

/** The filters of the list of orders as they stand in its address. What is no filter is left out. */
export interface OrderFilters extends PagesOnly {
  readonly status?: PaymentOrderStatus | undefined;
  readonly rail?: Rail | undefined;
  readonly direction?: OrderDirection | undefined;
  readonly externalId?: string | undefined;
  readonly counterpartyId?: string | undefined;
  readonly ledgerAccountName?: string | undefined;
  /** The least and the largest amount. */
  readonly fromCents?: number | undefined;
  readonly toCents?: number | undefined;
  /** The first and the last day of creation, in the time zone of whoever reads the list. */
  readonly createdFrom?: string | undefined;
  readonly createdTo?: string | undefined;
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
  return {
    status: oneOf(statuses, search["status"]),
    rail: oneOf(rails, search["rail"]),
    direction: oneOf(directions, search["direction"]),
    externalId: readText(search["externalId"]),
    counterpartyId: readText(search["counterpartyId"]),
    ledgerAccountName: readText(search["ledgerAccountName"]),
    fromCents: centsIn(search["fromCents"]),
    toCents: centsIn(search["toCents"]),
    createdFrom: dayIn(search["createdFrom"]),
    createdTo: dayIn(search["createdTo"]),
    ...readPages(search),
  };
}

function oneOf<T extends string>(known: readonly T[], value: unknown): T | undefined {
  return known.find((one) => one === value);
}

function centsIn(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined;
}

function dayIn(value: unknown): string | undefined {
  return isDay(value) ? value : undefined;
}
