import { z } from "zod";
import { lineText, linesText } from "../text/text.ts";

/** RFC 3339 UTC with milliseconds. */
export const timestamp = z.iso
  .datetime({ precision: 3 })
  .meta({ description: "RFC 3339, UTC, with milliseconds.", examples: ["2026-03-02T15:00:00.000Z"] });
export const createdAt = timestamp.meta({ description: "When it was created." });
export const updatedAt = timestamp.meta({ description: "When it last changed." });

/** SHA-256, hexadecimal. */
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** ISO 8601 writes a year 0 and offsets of a day; Postgres reads neither, nor a second of a hundred digits. */
const readableTime = /^(?!0000).{19}(\.\d{1,9})?(Z|[+-](0\d|1[0-5]):\d\d)$/;
/** A time as a caller may write it: RFC 3339 with any offset. */
export const anyTime = z.iso
  .datetime({ offset: true, abort: true, error: "must be a time, such as 2026-03-02T15:00:00Z" })
  .refine((text) => readableTime.test(text), {
    message: "must be a time of the years 1 to 9999, to the nanosecond, with an offset below 16 hours",
  })
  .meta({ examples: ["2026-03-02T15:00:00Z"] });
const isoTime = z.iso.datetime({ offset: true });
/**
 * A time in any form of RFC 3339, 5.6, parsed into UTC with milliseconds: `t`, `z` or a space is allowed, and so is
 * every offset, every number of digits, and a leap second, which counts as the second after it.
 */
export const everyTime = z
  .string()
  .meta({ format: "date-time", examples: ["2026-03-02T15:00:00Z"] })
  .transform((text, context) => {
    const upper = text.toUpperCase().replace(" ", "T");
    const leap = /^.{17}60/.test(upper);
    const iso = leap ? `${upper.slice(0, 17)}59${upper.slice(19)}` : upper;
    const at = new Date(Date.parse(iso) + (leap ? 1_000 : 0));
    if (isoTime.safeParse(iso).success && at.getUTCFullYear() >= 1 && at.getUTCFullYear() <= 9_999) {
      return at.toISOString();
    }
    context.addIssue({ code: "custom", message: "must be a time, such as 2026-03-02T15:00:00Z" });
    return z.NEVER;
  });
export const timeFilter = (description: string) => anyTime.optional().meta({ description });
/** The range that lists of what was created can be cut to. */
export const createdAtFilters = {
  "createdAt[gte]": timeFilter("Created at or after this time (RFC 3339)."),
  "createdAt[lt]": timeFilter("Created before this time (RFC 3339)."),
};
/**
 * An equality filter. Repeated (`status=Failed&status=Returned`), it finds what has any of its values. Parsed: its
 * different values.
 */
export function oneOrMany<T extends z.ZodType>(item: T, description = item.meta()?.description ?? "") {
  return z.preprocess(
    (value) => (value === undefined ? undefined : [...new Set([value].flat())]),
    z
      .array(item)
      .refine(({ length }) => length <= 50, { message: "takes at most 50 values" })
      .optional()
      .meta({ description: `${description} May be repeated, with up to 50 values.` }),
  );
}

const mergePatches = new WeakSet<z.ZodType>();
/** Marks the body of a PATCH (RFC 7396): null clears a field. Elsewhere null in an optional field means absent. */
export function mergePatch<Schema extends z.ZodType>(schema: Schema): Schema {
  mergePatches.add(schema);
  return schema;
}
export const isMergePatch = (schema: z.ZodType) => mergePatches.has(schema);

/** A banking date in America/New_York. */
export const bankingDate = z.iso
  .date({ abort: true, error: "must be a day, such as 2026-03-02" })
  .refine((date) => !date.startsWith("0000"), { message: "must be a date of the years 1 to 9999" })
  .meta({ description: "A banking day in New York.", examples: ["2026-03-02"] });

function pairsOf(key: z.ZodString, value: z.ZodString) {
  return z
    .record(key.min(1).max(40), value.max(500))
    .refine((pairs) => Object.keys(pairs).length <= 50, { message: "at most 50 pairs" })
    .meta({
      maxProperties: 50,
      description: "Your own key-value pairs: at most 50, keys up to 40 and values up to 500 characters.",
      examples: [{ team: "ops" }],
    });
}
/** At most 50 string pairs, in an answer and in a filter: what was stored earlier may hold any character. */
export const metadata = pairsOf(z.string(), z.string());
/** The same, as a caller sends it. */
export const sentMetadata = pairsOf(lineText(40), linesText(500));
/** In a merge patch: pairs to set; null removes a pair. */
export const metadataPatch = z
  .record(lineText(40).min(1), linesText(500).nullable())
  .refine((pairs) => Object.keys(pairs).length <= 50, { message: "at most 50 pairs" })
  .meta({ maxProperties: 50, description: "Pairs to set. Null removes one pair, or all of them." });

const reference = (text: z.ZodString) =>
  text
    .min(1)
    .max(255)
    .meta({ description: "Your own reference.", examples: ["invoice-4711"] });
/** A reference in a filter: what was stored earlier may hold any character. */
export const externalId = reference(z.string());
/** The same, as a caller sends it. */
export const sentExternalId = reference(lineText(255));
/** A reference in an answer. */
export const storedExternalId = z.string().nullable().meta({ description: "Your own reference." });
/** A principal in an answer. */
export const principal = (description: string) => z.string().meta({ description });

/** Digits only: a lenient reading of numbers would take `1e1` for 10, and an empty text for 0. */
export const digitsAsNumber = (value: unknown) =>
  typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
export const pageLimit = z.preprocess(
  digitsAsNumber,
  z
    .number()
    .int()
    .min(1)
    .max(100)
    .default(25)
    .meta({ description: "The largest number of items on the page." }),
);
export const pageQuery = {
  limit: pageLimit,
  cursor: z
    .string()
    .max(2048)
    .optional()
    .meta({
      description: "`nextCursor` of the previous page. Send the same filters with it.",
      examples: ["eyJhZnRlciI6IjAxamQzazVzOHkifQ"],
    }),
};

export const pageEnd = {
  nextCursor: z.string().nullable().meta({
    description: "Send it as `cursor` to read the next page. Null on the last page.",
  }),
  hasMore: z.boolean().meta({ description: "True if another page follows." }),
};

/** One page of a list, newest first. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z
    .object({ data: z.array(item).meta({ description: "The items of this page." }), ...pageEnd })
    .meta({ description: "One page of a list." });
}
export interface Page<Item> {
  data: Item[];
  nextCursor: string | null;
  hasMore: boolean;
}
