import type { VerificationStatus } from "../../../typescript/types.gen.ts";
import { type PagesOnly, readPages, readText } from "../../parts/page/read-search.ts";

/** The filters of the list of counterparties, as its address has them. */
export interface CounterpartyFilters extends PagesOnly {
  readonly verificationStatus?: VerificationStatus | undefined;
  /** Without it, those in use. */
  readonly show?: "archived" | undefined;
  readonly name?: string | undefined;
  readonly externalId?: string | undefined;
}

export const statuses = ["Verified", "Unverified", "Failed"] as const satisfies readonly VerificationStatus[];

/** Reads the address by hand: what a reader may have typed there is checked value by value. */
export function readCounterpartyFilters(search: Record<string, unknown>): CounterpartyFilters {
  return {
    verificationStatus: statuses.find((status) => status === search["verificationStatus"]),
    show: search["show"] === "archived" ? "archived" : undefined,
    name: readText(search["name"]),
    externalId: readText(search["externalId"]),
    ...readPages(search),
  };
}
