import { z } from "zod";

/** RFC 3339 UTC with milliseconds. */
export const timestamp = z.iso
  .datetime({ precision: 3 })
  .meta({ description: "RFC 3339, UTC, with milliseconds.", examples: ["2026-03-02T15:00:00.000Z"] });
/** ISO 8601 writes a year 0 and offsets of a day; Postgres reads neither, nor a second of a hundred digits. */
const readableTime = /^(?!0000).{19}(\.\d{1,9})?(Z|[+-](0\d|1[0-5]):\d\d)$/;
/** A time as a caller may write it: RFC 3339 with any offset. */
export const anyTime = z.iso
  .datetime({ offset: true, abort: true, error: "must be a time, such as 2026-03-02T15:00:00Z" })
  .refine((text) => readableTime.test(text), {
    message: "must be a time of the years 1 to 9999, to the nanosecond, with an offset below 16 hours",
  });
export const timeFilter = (description: string) => anyTime.optional().meta({ description });
/** A banking date in America/New_York. */
export const bankingDate = z.iso
  .date({ abort: true, error: "must be a day, such as 2026-03-02" })
  .refine((date) => !date.startsWith("0000"), { message: "must be a date of the years 1 to 9999" })
  .meta({ description: "A banking day in New York.", examples: ["2026-03-02"] });

/** At most 50 string pairs, keys to 40 and values to 500 characters. */
export const metadata = z
  .record(z.string().min(1).max(40), z.string().max(500))
  .refine((pairs) => Object.keys(pairs).length <= 50, { message: "at most 50 pairs" })
  .meta({ maxProperties: 50, description: "Pairs of your own: keys to 40, values to 500 characters." });

export const externalId = z.string().min(1).max(255).meta({ description: "Your own reference." });

export const pageLimit = z.coerce
  .number()
  .int()
  .min(1)
  .max(100)
  .default(25)
  .meta({ description: "The most that one page holds." });
export const pageQuery = {
  limit: pageLimit,
  cursor: z
    .string()
    .max(2048)
    .optional()
    .meta({ description: "`nextCursor` of the page before, with the same filters." }),
};

/** One page of a list, newest first. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: z.array(item),
    nextCursor: z.string().nullable().meta({ description: "Null on the last page." }),
    hasMore: z.boolean(),
  });
}
export interface Page<Item> {
  data: Item[];
  nextCursor: string | null;
  hasMore: boolean;
}
