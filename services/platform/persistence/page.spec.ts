import { describe, expect, it } from "vitest";
import { Refusal } from "../../../contracts/errors.ts";
import { type Asked, decodeCursor, encodeCursor, numberAfter, pageOfRows, uuidAfter } from "./page.ts";

const codeOf = (act: () => unknown): string => {
  try {
    act();
    return "accepted";
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
};

/** What was asked of a list. */
const search = (filters: object = {}) => ({ ...filters, list: "orders" });

describe("a cursor", () => {
  it("decodes to the key that the next page continues after", () => {
    expect(
      decodeCursor(encodeCursor("key-7", search({ status: ["Draft"] })), search({ status: ["Draft"] })),
    ).toBe("key-7");
  });

  it("is refused with other filters", () => {
    const cursor = encodeCursor("key-7", search({ status: ["Draft"], externalId: "a" }));
    expect(codeOf(() => decodeCursor(cursor, search({ status: ["Draft"] })))).toBe("cursor_filter_mismatch");
    expect(codeOf(() => decodeCursor(cursor, search({ status: ["Failed"], externalId: "a" })))).toBe(
      "cursor_filter_mismatch",
    );
  });

  it("is refused by another list", () => {
    const cursor = encodeCursor("key-7", search());
    expect(codeOf(() => decodeCursor(cursor, { list: "accounts" }))).toBe("cursor_filter_mismatch");
  });

  it("does not depend on the order of filters, on omitted ones, on the limit or on the cursor", () => {
    const cursor = encodeCursor(
      "key-7",
      search({ rail: "Ach", externalId: "a", direction: undefined, limit: 10 }),
    );
    expect(decodeCursor(cursor, search({ cursor, limit: 50, externalId: "a", rail: "Ach" }))).toBe("key-7");
  });

  it.each([{ status: "Draft" }, { status: ["Draft"] }])(
    "that was made before it knew its list, or filters took several values, is accepted: %j",
    (filters) => {
      const cursor = encodeCursor("key-7", { ...filters, rail: ["Ach", "Rtp"] } as unknown as Asked);
      expect(decodeCursor(cursor, search({ status: ["Draft"], rail: ["Ach", "Rtp"] }))).toBe("key-7");
      expect(codeOf(() => decodeCursor(cursor, search({ status: ["Draft"], rail: ["Ach"] })))).toBe(
        "cursor_filter_mismatch",
      );
    },
  );

  it.each(["", "nonsense", "W10", "e30", "WzEsMl0", "bnVsbA", "%%%", "ImEi"])(
    "is refused as %j",
    (cursor) => {
      expect(codeOf(() => decodeCursor(cursor, search()))).toBe("invalid_cursor");
    },
  );
});

describe("the content of a cursor", () => {
  const uuid = "019c0000-0000-7000-8000-000000000001";

  it("is validated before it is used in SQL, because a cursor is not signed", () => {
    expect(uuidAfter(search({ cursor: encodeCursor(uuid, search()) }))).toBe(uuid);
    expect(numberAfter(search({ cursor: encodeCursor("17", search()) }))).toBe("17");
    for (const forged of ["'; drop table payment_order", "", "17"]) {
      expect(codeOf(() => uuidAfter(search({ cursor: encodeCursor(forged, search()) })))).toBe(
        "invalid_cursor",
      );
    }
    for (const forged of [uuid, "-1", "1e3", "9".repeat(19)]) {
      expect(codeOf(() => numberAfter(search({ cursor: encodeCursor(forged, search()) })))).toBe(
        "invalid_cursor",
      );
    }
  });

  it("is null for the first page", () => {
    expect([uuidAfter(search()), numberAfter(search())]).toEqual([null, null]);
  });
});

describe("a page", () => {
  const page = (rows: number[], limit: number) =>
    pageOfRows(
      rows,
      limit,
      (row) => ({ row }),
      (row) => `key-${String(row)}`,
      search({ rail: "Ach" }),
    );

  it("has `limit` rows, and a cursor after the last one when there are more", () => {
    const { data, hasMore, nextCursor } = page([9, 8, 7], 2);
    expect([data, hasMore]).toEqual([[{ row: 9 }, { row: 8 }], true]);
    expect(decodeCursor(nextCursor ?? "", search({ rail: "Ach" }))).toBe("key-8");
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
      search(),
    );
    expect([data.length, hasMore]).toEqual([shown, true]);
    expect(decodeCursor(nextCursor ?? "", search())).toBe(`key-${String(shown - 1)}`);
  });
});
