import { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import { decodeCursor } from "../../platform/persistence/page.ts";

/** The stored account id to go on after, or null for the first page. Refusals: `invalid_cursor`, `cursor_filter_mismatch`. */
export function accountAfter(query: { cursor?: string | undefined }): string | null {
  return keyAfter(query, z.uuid());
}

/** The account version to go on after, or null for the first page. Refusals as above. */
export function versionAfter(query: { cursor?: string | undefined }): string | null {
  return keyAfter(query, z.string().regex(/^\d{1,18}$/));
}

/** A cursor is opaque, not signed: what it holds is checked like any other input before it meets SQL. */
function keyAfter(query: { cursor?: string | undefined }, key: z.ZodType<string>): string | null {
  if (query.cursor === undefined) return null;
  const parsed = key.safeParse(decodeCursor(query.cursor, query));
  if (parsed.success) return parsed.data;
  throw new Refusal("invalid_cursor", "Send the nextCursor of an earlier page, unchanged, or none.");
}
