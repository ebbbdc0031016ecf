import type { InboundPaymentStatus } from "../../../typescript/types.gen.ts";
import { type PagesOnly, readPages, readText } from "../../parts/page/read-search.ts";

/** The filters of the list of inbound payments as they stand in its address. */
export interface InboundFilters extends PagesOnly {
  readonly status?: InboundPaymentStatus | undefined;
  readonly bankReference?: string | undefined;
  readonly virtualAccountId?: string | undefined;
}

export const statuses = [
  "Suspended",
  "Attributed",
  "Assigned",
  "Offset",
  "Returned",
] as const satisfies readonly InboundPaymentStatus[];

export function readInboundFilters(search: Record<string, unknown>): InboundFilters {
  const { status, bankReference, virtualAccountId } = search;
  return {
    status: statuses.find((one) => one === status),
    bankReference: readText(bankReference),
    virtualAccountId: readText(virtualAccountId),
    ...readPages(search),
  };
}
