/** The pages of a list as they stand in its address. */
export interface PagesOnly {
  /** The cursors of the pages before this one, so that "Previous" finds back. */
  readonly pages?: readonly string[];
}

export function readPages({ pages }: Record<string, unknown>): PagesOnly {
  return Array.isArray(pages) ? { pages: pages.filter((page) => typeof page === "string") } : {};
}
