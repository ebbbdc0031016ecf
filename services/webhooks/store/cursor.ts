import { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import { decodeCursor } from "../../platform/persistence/page.ts";

/** The stored id to go on after, or null for the first page. Refusals: `invalid_cursor`, `cursor_filter_mismatch`. */
export function idAfter(query: { cursor?: string | undefined }): string | null {
  return after(query, z.uuid());
}

/** The number to go on after, or null for the first page. Refusals as above. */
export function numberAfter(query: { cursor?: string | undefined }): number | null {
  return after(
    query,
    z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number),
  );
}

/** A cursor is opaque, not signed: what it holds is checked like any other input before it meets SQL. */
function after<T>(query: { cursor?: string | undefined }, key: z.ZodType<T>): T | null {
  if (query.cursor === undefined) return null;
  const parsed = key.safeParse(decodeCursor(query.cursor, query));
  if (!parsed.success) {
    throw new Refusal("invalid_cursor", "Send the nextCursor of an earlier page, unchanged, or none.");
  }
  return parsed.data;
}
