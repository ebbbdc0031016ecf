import type { ObligationStatus, ObligationType } from "../../../typescript/types.gen.ts";
import { type PagesOnly, readPages, readText } from "../../parts/page/read-search.ts";

/** The filters of the list of obligations as they stand in its address. */
export interface ObligationFilters extends PagesOnly {
  /** Any of these; all of them where there is none. */
  readonly status?: readonly ObligationStatus[] | undefined;
  readonly type?: ObligationType | undefined;
  readonly reference?: string | undefined;
}

export const statuses = [
  "Open",
  "Fixed",
  "Remitting",
  "Relieved",
] as const satisfies readonly ObligationStatus[];
export const types = [
  "FuelTaxReturn",
  "OperatorSettlement",
  "Other",
] as const satisfies readonly ObligationType[];

/** Reads the address by hand: what a reader may have typed there is checked value by value. */
export function readObligationFilters(search: Record<string, unknown>): ObligationFilters {
  const { status, type, reference } = search;
  const named = Array.isArray(status) ? status : [status];
  const known = statuses.filter((one) => named.includes(one));
  return {
    status: known.length === 0 ? undefined : known,
    type: types.find((one) => one === type),
    reference: readText(reference),
    ...readPages(search),
  };
}
