/** The pages of a list as they stand in its address. */
export interface PagesOnly {
  /** The cursors of the second page up to this one; none on the first. The last one is sent, "Previous" drops it. */
  readonly pages?: readonly string[] | undefined;
}

export function readPages({ pages }: Record<string, unknown>): PagesOnly {
  return Array.isArray(pages) ? { pages: pages.filter((page) => typeof page === "string") } : {};
}

/**
 * The filters of a list after a change, which begins at the first page again. `now` is the search of
 * the newest navigation, also of one that is not drawn yet: so two quick changes both count.
 */
export function changed<Filters extends PagesOnly>(now: Filters, by: Partial<Filters>): Filters {
  return { ...now, pages: undefined, ...by };
}

/** Whether any filter of a list is set. The page is none. */
export function hasFilter({ pages: _pages, ...filters }: PagesOnly): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}

/** A text of the address; undefined for none. The router reads a text of digits as a number. */
export function readText(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A time of the address that can be read; undefined for any other text. */
export function readTime(value: unknown): string | undefined {
  const text = readText(value);
  return text === undefined || Number.isNaN(Date.parse(text)) ? undefined : text;
}

/**
 * What a screen gets of its address: what `read` finds there, and nothing else. The router merges it with all that the
 * address says, so unknown names are set to undefined.
 */
export function onlyRead<T extends object>(read: (search: Record<string, unknown>) => T) {
  return (search: Record<string, unknown>): T => ({
    ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])),
    ...read(search),
  });
}
