import type { ReconciliationStatus } from "../../../typescript/types.gen.ts";

export const statuses = ["Reconciled", "Broken", "NotReconciled"] as const satisfies ReconciliationStatus[];

/** The filters of the list of runs as they stand in its address. */
export interface RunFilters {
  readonly status?: ReconciliationStatus;
  /** The banking day, `YYYY-MM-DD`. */
  readonly date?: string;
  /** The cursors of the pages before this one. */
  readonly pages?: readonly string[];
}

export function readRunFilters({ status, date, pages }: Record<string, unknown>): RunFilters {
  const known = statuses.find((one) => one === status);
  return {
    ...(known === undefined ? {} : { status: known }),
    ...(typeof date === "string" ? { date } : {}),
    ...(Array.isArray(pages) ? { pages: pages.filter((page) => typeof page === "string") } : {}),
  };
}
