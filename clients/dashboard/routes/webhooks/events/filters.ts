import { type PagesOnly, readPages, readText, readTime } from "../../../parts/page/read-search.ts";

/** The filters of the list of events, as its address has them. */
export interface EventFilters extends PagesOnly {
  readonly type?: string | undefined;
  /** What the events are about, such as a payment order. */
  readonly objectId?: string | undefined;
  /** Recorded at or after this time. */
  readonly since?: string | undefined;
}

/** Reads the address by hand: what a reader may have typed there is checked value by value. */
export function readEventFilters(search: Record<string, unknown>): EventFilters {
  const { type, objectId, since } = search;
  return {
    type: readText(type),
    objectId: readText(objectId),
    since: readTime(since),
    ...readPages(search),
  };
}
