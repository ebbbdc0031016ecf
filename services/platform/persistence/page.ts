import { createHash } from "node:crypto";
import { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type { Page } from "../../../contracts/http/shapes.ts";

/** A digest of the filters that a cursor belongs to. Cursor and limit are not filters. */
function filterDigest(filters: unknown): string {
  const { cursor: _cursor, limit: _limit, ...rest } = { ...(filters as Record<string, unknown>) };
  const pairs = Object.entries(rest)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(pairs)).digest("base64url").slice(0, 12);
}

/** The filters as they were before filters took several values: a cursor of that time still works. */
function withoutLists(filters: unknown): unknown {
  const pairs = Object.entries({ ...(filters as Record<string, unknown>) });
  const one = (value: unknown): unknown => (Array.isArray(value) && value.length === 1 ? value[0] : value);
  return Object.fromEntries(pairs.map(([name, value]) => [name, one(value)]));
}

/** An opaque cursor that carries a digest of its filters: with other filters it is refused. */
export function encodeCursor(after: string, filters: unknown): string {
  return Buffer.from(JSON.stringify([after, filterDigest(filters)])).toString("base64url");
}

/** The key that the page continues after. Refusals: `invalid_cursor`, `cursor_filter_mismatch`. */
export function decodeCursor(cursor: string, filters: unknown): string {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    parts = null; // not JSON: refused below, like any other text that is not a cursor
  }
  const [after, digest] = Array.isArray(parts) ? (parts as unknown[]) : [];
  if (typeof after !== "string" || typeof digest !== "string") {
    throw new Refusal("invalid_cursor", "Send the nextCursor of an earlier page, unchanged, or none.");
  }
  if (![filterDigest(filters), filterDigest(withoutLists(filters))].includes(digest)) {
    throw new Refusal(
      "cursor_filter_mismatch",
      "Repeat the filters of the page that the cursor came from, or send no cursor.",
    );
  }
  return after;
}

interface Cursored {
  readonly cursor?: string | undefined;
}

/**
 * The uuid that the page continues after, or null for the first page. Refusals: `invalid_cursor`,
 * `cursor_filter_mismatch`.
 */
export function uuidAfter(query: Cursored): string | null {
  return keyAfter(query, z.uuid());
}

/** The number that the page continues after, as text, or null for the first page. Refusals as above. */
export function numberAfter(query: Cursored): string | null {
  return keyAfter(query, z.string().regex(/^\d{1,18}$/));
}

/**
 * The bounds of a first page. With them every page uses the condition `id < $n`, an index range. (A cached plan of
 * `$n is null or id < $n` has no index range and reads every row from the newest on.)
 */
export const aboveAllUuids = "ffffffff-ffff-ffff-ffff-ffffffffffff";
export const belowAllUuids = "00000000-0000-0000-0000-000000000000";
export const aboveAllNumbers = "9223372036854775807";

/** A cursor is not signed, so its content is validated like any other input before it is used in SQL. */
export function keyAfter(query: Cursored, key: z.ZodType<string>): string | null {
  if (query.cursor === undefined) return null;
  const parsed = key.safeParse(decodeCursor(query.cursor, query));
  if (parsed.success) return parsed.data;
  throw new Refusal("invalid_cursor", "Send the nextCursor of an earlier page, unchanged, or none.");
}

/** A page is one message between services, and a message is at most 1 MiB. */
const maxPageBytes = 512 * 1024;

/**
 * Makes one page of `limit + 1` rows; the extra row only shows that there are more. The page ends after `limit` rows or
 * 512 KiB, whichever comes first, and holds at least one row.
 */
export function pageOfRows<R, I>(
  rows: readonly R[],
  limit: number,
  toItem: (row: R) => I,
  keyOf: (row: R) => string,
  filters: unknown,
): Page<I> {
  const items = rows.slice(0, limit).map(toItem);
  let bytes = 0;
  const tooMany = items.findIndex(
    (item) => (bytes += Buffer.byteLength(JSON.stringify(item))) > maxPageBytes,
  );
  const data = tooMany === -1 ? items : items.slice(0, Math.max(1, tooMany));
  const last = rows[data.length - 1];
  const hasMore = rows.length > data.length;
  return {
    data,
    hasMore,
    nextCursor: hasMore && last !== undefined ? encodeCursor(keyOf(last), filters) : null,
  };
}
