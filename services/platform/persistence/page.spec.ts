import { describe, expect, it } from "vitest";
import { Refusal } from "../../../contracts/errors.ts";
import { decodeCursor, encodeCursor, numberAfter, pageOfRows, uuidAfter } from "./page.ts";

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
  it("decodes to the key that the next page continues after", () => {
    expect(decodeCursor(encodeCursor("key-7", { status: ["Draft"] }), { status: ["Draft"] })).toBe("key-7");
  });

  it("is refused with other filters", () => {
    const cursor = encodeCursor("key-7", { status: ["Draft"], externalId: "a" });
    expect(codeOf(() => decodeCursor(cursor, { status: ["Draft"] }))).toBe("cursor_filter_mismatch");
    expect(codeOf(() => decodeCursor(cursor, { status: ["Failed"], externalId: "a" }))).toBe(
      "cursor_filter_mismatch",
    );
  });

  it("does not depend on the order of filters, on omitted ones, on the limit or on the cursor", () => {
    const cursor = encodeCursor("key-7", { rail: "Ach", externalId: "a", direction: undefined, limit: 10 });
    expect(decodeCursor(cursor, { cursor, limit: 50, externalId: "a", rail: "Ach" })).toBe("key-7");
  });

  it("of a filter with one value is accepted for the list of that one value", () => {
    const cursor = encodeCursor("key-7", { status: "Draft", rail: ["Ach", "Rtp"] });
    expect(decodeCursor(cursor, { status: ["Draft"], rail: ["Ach", "Rtp"] })).toBe("key-7");
    expect(codeOf(() => decodeCursor(cursor, { status: ["Draft"], rail: ["Ach"] }))).toBe(
      "cursor_filter_mismatch",
    );
  });

  it.each(["", "nonsense", "W10", "e30", "WzEsMl0", "bnVsbA", "%%%", "ImEi"])(
    "is refused as %j",
    (cursor) => {
      expect(codeOf(() => decodeCursor(cursor, {}))).toBe("invalid_cursor");
    },
  );
});

describe("the content of a cursor", () => {
  const uuid = "019c0000-0000-7000-8000-000000000001";

  it("is validated before it is used in SQL, because a cursor is not signed", () => {
    expect(uuidAfter({ cursor: encodeCursor(uuid, {}) })).toBe(uuid);
    expect(numberAfter({ cursor: encodeCursor("17", {}) })).toBe("17");
    for (const forged of ["'; drop table payment_order", "", "17"]) {
      expect(codeOf(() => uuidAfter({ cursor: encodeCursor(forged, {}) }))).toBe("invalid_cursor");
    }
    for (const forged of [uuid, "-1", "1e3", "9".repeat(19)]) {
      expect(codeOf(() => numberAfter({ cursor: encodeCursor(forged, {}) }))).toBe("invalid_cursor");
    }
  });

  it("is null for the first page", () => {
    expect([uuidAfter({}), numberAfter({})]).toEqual([null, null]);
  });
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

  it("has `limit` rows, and a cursor after the last one when there are more", () => {
    const { data, hasMore, nextCursor } = page([9, 8, 7], 2);
    expect([data, hasMore]).toEqual([[{ row: 9 }, { row: 8 }], true]);
    expect(decodeCursor(nextCursor ?? "", { rail: "Ach" })).toBe("key-8");
  });

  it("is the last one when there are at most `limit` rows", () => {
    expect(page([9, 8], 2)).toEqual({ data: [{ row: 9 }, { row: 8 }], hasMore: false, nextCursor: null });
    expect(page([], 2)).toEqual({ data: [], hasMore: false, nextCursor: null });
  });

  // Each item is {"text":"…"}, 11 bytes more than its text: four of them fill 512 KiB to the byte.
  it.each([
    [524_288 / 4 - 11, 4],
    [524_288 / 4 - 10, 3],
    [1_000_000, 1],
  ])("ends at 512 KiB: of texts with %i bytes it shows %i, but always one", (bytes, shown) => {
    const rows = Array.from({ length: 10 }, (_, index) => ({
      key: `key-${String(index)}`,
      text: "x".repeat(bytes),
    }));
    const { data, hasMore, nextCursor } = pageOfRows(
      rows,
      10,
      ({ text }) => ({ text }),
      ({ key }) => key,
      {},
    );
    expect([data.length, hasMore]).toEqual([shown, true]);
    expect(decodeCursor(nextCursor ?? "", {})).toBe(`key-${String(shown - 1)}`);
  });
});
