import { describe, expect, it } from "vitest";
import { Refusal } from "../../../contracts/errors.ts";
import { decodeCursor, encodeCursor, pageOfRows } from "./page.ts";

const codeOf = (act: () => unknown): string => {
  try {
    act();
    return "accepted";
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
};

describe("a cursor", () => {
  it("gives back the key to go on after", () => {
    expect(decodeCursor(encodeCursor("key-7", { status: ["Draft"] }), { status: ["Draft"] })).toBe("key-7");
  });

  it("belongs to its filters: others are refused", () => {
    const cursor = encodeCursor("key-7", { status: ["Draft"], externalId: "a" });
    expect(codeOf(() => decodeCursor(cursor, { status: ["Draft"] }))).toBe("cursor_filter_mismatch");
    expect(codeOf(() => decodeCursor(cursor, { status: ["Failed"], externalId: "a" }))).toBe(
      "cursor_filter_mismatch",
    );
  });

  it("does not care for the order of filters, for those not given, for the limit or for itself", () => {
    const cursor = encodeCursor("key-7", { rail: "Ach", externalId: "a", direction: undefined, limit: 10 });
    expect(decodeCursor(cursor, { cursor, limit: 50, externalId: "a", rail: "Ach" })).toBe("key-7");
  });

  it.each(["", "nonsense", "W10", "e30", "WzEsMl0", "bnVsbA", "%%%", "ImEi"])(
    "is refused as %j",
    (cursor) => {
      expect(codeOf(() => decodeCursor(cursor, {}))).toBe("invalid_cursor");
    },
  );
});

describe("a page", () => {
  const page = (rows: number[], limit: number) =>
    pageOfRows(
      rows,
      limit,
      (row) => ({ row }),
      (row) => `key-${String(row)}`,
      { rail: "Ach" },
    );

  it("shows `limit` rows and says that there are more by a cursor behind the last one", () => {
    const { data, hasMore, nextCursor } = page([9, 8, 7], 2);
    expect([data, hasMore]).toEqual([[{ row: 9 }, { row: 8 }], true]);
    expect(decodeCursor(nextCursor ?? "", { rail: "Ach" })).toBe("key-8");
  });

  it("is the last one when there are no more than `limit` rows", () => {
    expect(page([9, 8], 2)).toEqual({ data: [{ row: 9 }, { row: 8 }], hasMore: false, nextCursor: null });
    expect(page([], 2)).toEqual({ data: [], hasMore: false, nextCursor: null });
  });
});
