import { type PagesOnly, readPages, readText } from "../../parts/page/read-search.ts";

/** The filters of the list of virtual accounts as they stand in its address. Both are compared exactly. */
export interface VirtualAccountFilters extends PagesOnly {
  readonly ledgerAccountName?: string | undefined;
  readonly externalId?: string | undefined;
}

export function readVirtualAccountFilters(search: Record<string, unknown>): VirtualAccountFilters {
  return {
    ledgerAccountName: readText(search["ledgerAccountName"]),
    externalId: readText(search["externalId"]),
    ...readPages(search),
  };
}
