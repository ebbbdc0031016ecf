import { describe, expect, it } from "vitest";
import { bookIdOf, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { readTimeIn, saveClock } from "./book-clocks.ts";

const { database } = await forThisFile(openFreshUnits("ledger"));
const { sql } = database;
const noon = new Date("2038-02-12T17:00:00.000Z");
const aManualBook = async () => {
  const book = bookIdOf(newId("ten"), "Test");
  await saveClock(sql, book, { mode: "Manual", leadMs: 1_000, standsAt: noon, sequence: 5 });
  return book;
};

describe("a service's copy of a clock", () => {
  it("is the one with the highest number, in whatever order they come", async () => {
    const book = await aManualBook();
    await saveClock(sql, book, { mode: "Real", leadMs: 500, standsAt: null, sequence: 4 });
    expect(await readTimeIn(sql, book, new Date(0))).toEqual(noon);
    await saveClock(sql, book, { mode: "Real", leadMs: 2_000, standsAt: null, sequence: 6 });
    expect(await readTimeIn(sql, book, noon)).toEqual(new Date(noon.getTime() + 2_000));
  });

  it.each([
    ["lead", "lead_ms = lead_ms - 1"],
    ["time", "stands_at = stands_at - interval '1 second'"],
    ["number", "sequence = sequence - 1"],
  ])("never goes back with its %s, whatever the service does", async (_what, change) => {
    const book = await aManualBook();
    const number = change.startsWith("sequence") ? "" : ", sequence = sequence + 1";
    const goesBack = sql(`update book_clock set ${change}${number} where book_id = $1`, [uuidOf(book)]);
    await expect(goesBack).rejects.toThrow("can't go back");
    expect(await readTimeIn(sql, book, new Date(0))).toEqual(noon);
  });
});

it("a book without a clock of its own has real time", async () => {
  expect(await readTimeIn(sql, bookIdOf(newId("ten"), "Test"), noon)).toEqual(noon);
});
