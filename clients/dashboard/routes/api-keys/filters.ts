import { readPages } from "../../parts/page/read-search.ts";

/** Which keys are listed, as it stands in the address. Without `show`: those that work or wait. */
export interface KeyFilters {
  readonly show?: "ended" | "all" | undefined;
  /** The cursors of the pages before this one, so that "Previous" finds back. */
  readonly pages?: readonly string[];
}

export function readKeyFilters({ show, ...search }: Record<string, unknown>): KeyFilters {
  return { ...(show === "ended" || show === "all" ? { show } : {}), ...readPages(search) };
}
