import { createHash } from "node:crypto";
import { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type { Page } from "../../../contracts/http/shapes.ts";

/** What was asked: of which list, after which cursor, and with which filters. */
export interface Asked {
  /** Its cursors are refused by every other list. */
  readonly list: string;
  readonly cursor?: string | undefined;
}

/** A digest of the list and the filters that a cursor belongs to. Cursor and limit are not filters. */
function filterDigest(filters: object): string {
  const { cursor: _cursor, limit: _limit, ...rest } = { ...(filters as Record<string, unknown>) };
  const pairs = Object.entries(rest)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(pairs)).digest("base64url").slice(0, 12);
}

/**
 * The filters as they were before a cursor knew its list and filters took several values: a cursor of that time still
 * works.
 */
function earlierFilters({ list: _list, ...filters }: Asked): object {
  const pairs = Object.entries(filters);
  const one = (value: unknown): unknown => (Array.isArray(value) && value.length === 1 ? value[0] : value);
  return Object.fromEntries(pairs.map(([name, value]) => [name, one(value)]));
}

/** An opaque cursor that carries a digest of its list and filters: with others it is refused. */
export function encodeCursor(after: string, asked: Asked): string {
  return Buffer.from(JSON.stringify([after, filterDigest(asked)])).toString("base64url");
}

/** The key that the page continues after. Refusals: `invalid_cursor`, `cursor_filter_mismatch`. */
export function decodeCursor(cursor: string, asked: Asked): string {
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
  const { list: _list, ...filters } = asked;
  if (![asked, filters, earlierFilters(asked)].map(filterDigest).includes(digest)) {
    throw new Refusal(
      "cursor_filter_mismatch",
      "Send the cursor to the list that it came from, with the same filters, or send no cursor.",
    );
  }
  return after;
}

/**
 * The uuid that the page continues after, or null for the first page. Refusals: `invalid_cursor`,
 * `cursor_filter_mismatch`.
 */
export function uuidAfter(asked: Asked): string | null {
  return keyAfter(asked, z.uuid());
}

/** The number that the page continues after, as text, or null for the first page. Refusals as above. */
export function numberAfter(asked: Asked): string | null {
  return keyAfter(asked, z.string().regex(/^\d{1,18}$/));
}

/**
 * The bounds of a first page. With them every page uses the condition `id < $n`, an index range. (A cached plan of
 * `$n is null or id < $n` has no index range and reads every row from the newest on.)
 */
export const aboveAllUuids = "ffffffff-ffff-ffff-ffff-ffffffffffff";
export const belowAllUuids = "00000000-0000-0000-0000-000000000000";
export const aboveAllNumbers = "9223372036854775807";

/** A cursor is not signed, so its content is validated like any other input before it is used in SQL. */
export function keyAfter(asked: Asked, key: z.ZodType<string>): string | null {
  if (asked.cursor === undefined) return null;
  const parsed = key.safeParse(decodeCursor(asked.cursor, asked));
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
  asked: Asked,
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
    nextCursor: hasMore && last !== undefined ? encodeCursor(keyOf(last), asked) : null,
  };
}
