import { z } from "zod";

/** RFC 3339 UTC with milliseconds. */
export const timestamp = z.iso.datetime({ precision: 3 });
/** A banking date in America/New_York. */
export const bankingDate = z.iso.date();

/** At most 50 string pairs, keys to 40 and values to 500 characters. */
export const metadata = z
  .record(z.string().min(1).max(40), z.string().max(500))
  .refine((pairs) => Object.keys(pairs).length <= 50, { message: "at most 50 pairs" });

export const externalId = z.string().min(1).max(255);

export const pageLimit = z.coerce.number().int().min(1).max(100).default(25);
export const pageQuery = { limit: pageLimit, cursor: z.string().max(2048).optional() };

/** One page of a list, newest first. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), nextCursor: z.string().nullable(), hasMore: z.boolean() });
}
export interface Page<Item> {
  data: Item[];
  nextCursor: string | null;
  hasMore: boolean;
}
