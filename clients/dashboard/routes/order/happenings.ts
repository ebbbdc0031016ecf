import type { TimelineEntry } from "../../../typescript/types.gen.ts";

export interface Happening {
  readonly entry: TimelineEntry;
  /** The deliveries of one event, one for each endpoint. Empty for everything else. */
  readonly deliveries: readonly TimelineEntry[];
}

/** The timeline with the deliveries of one event as one line. */
export function happeningsOf(entries: readonly TimelineEntry[]): Happening[] {
  const byEvent = Map.groupBy(
    entries.filter(({ eventId }) => eventId !== null),
    ({ eventId }) => eventId,
  );
  return entries.flatMap((entry): Happening[] => {
    const deliveries = entry.eventId === null ? [] : (byEvent.get(entry.eventId) ?? []);
    const isFirst = deliveries.length === 0 || deliveries[0] === entry;
    return isFirst ? [{ entry, deliveries }] : [];
  });
}
