import { useQueries } from "@tanstack/react-query";
import type { Counterparty } from "../../../typescript/types.gen.ts";
import { usePaused } from "../../parts/form/paused.ts";
import { useSearch } from "../search.ts";
import { counterpartyQuery, useCounterparty, useNewestCounterparties } from "./counterparties.ts";

/** The counterparty with this id; undefined while it is read, and for an empty id. */
export function useChosenCounterparty(id: string): Counterparty | undefined {
  const { data: newest } = useNewestCounterparties();
  const listed = newest?.data.find((one) => one.id === id);
  const { data: other } = useCounterparty(id === "" || listed !== undefined ? null : id);
  return listed ?? other;
}

export interface Choosable {
  readonly newest: readonly Counterparty[];
  /** True if the book has more than the newest. */
  readonly hasMore: boolean;
  /** What the text finds in the whole book. */
  readonly found: readonly Counterparty[];
  readonly isLooking: boolean;
  /** Why nothing could be found: a failure, or `unavailable` while the search is not answered in full. */
  readonly problem: Error | "unavailable" | null;
}

/** The newest counterparties, and those that a text finds. No order can name an archived one, so they are left out. */
export function useChoosableCounterparties(text: string): Choosable {
  const { data: newest } = useNewestCounterparties();
  const typed = text.trim();
  const paused = usePaused(typed);
  const start = typed === "" ? "" : paused;
  const search = useSearch(start);
  const hits = start === "" ? [] : (search.data?.data ?? []).filter(({ kind }) => kind === "Counterparty");
  // A hit does not say on which rails the counterparty can be paid.
  const read = useQueries({ queries: hits.map(({ id }) => counterpartyQuery(id)) });
  const isUnavailable = search.data?.unavailable.includes("Counterparty") === true;
  return {
    newest: newest?.data ?? [],
    hasMore: newest?.hasMore === true,
    found: read.flatMap(({ data }) => (data === undefined || data.archivedAt !== null ? [] : [data])),
    isLooking:
      typed !== paused ||
      search.isLoading ||
      search.isPlaceholderData ||
      read.some(({ isLoading }) => isLoading),
    problem:
      search.error ??
      read.find(({ error }) => error !== null)?.error ??
      (isUnavailable ? "unavailable" : null),
  };
}
