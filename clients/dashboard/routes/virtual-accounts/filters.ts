import { type PagesOnly, readPages } from "../pages.ts";

/** The filters of the list of virtual accounts as they stand in its address. Both are compared exactly. */
export interface VirtualAccountFilters extends PagesOnly {
  readonly ledgerAccountName?: string | undefined;
  readonly externalId?: string | undefined;
}

export function readVirtualAccountFilters(search: Record<string, unknown>): VirtualAccountFilters {
  const ledgerAccountName = textOf(search["ledgerAccountName"]);
  const externalId = textOf(search["externalId"]);
  return {
    ...(ledgerAccountName === undefined ? {} : { ledgerAccountName }),
    ...(externalId === undefined ? {} : { externalId }),
    ...readPages(search),
  };
}

/** A text of digits is a number in the address. */
function textOf(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

export function hasFilter({ ledgerAccountName, externalId }: VirtualAccountFilters): boolean {
  return ledgerAccountName !== undefined || externalId !== undefined;
}
