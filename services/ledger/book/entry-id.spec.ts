import { expect, it } from "vitest";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { entryIdOf } from "./entry-id.ts";

const book = "018f7c5e-0000-7000-8000-000000000001";
const at = new Date("2026-03-02T15:00:00.000Z");

it("is a UUIDv7 of the record time, the same at every computation", () => {
  const uuid = uuidOf(entryIdOf(book, at, 7, 2));
  // 019caf103180 is the time, 7 << 30 the sequence, 2 << 22 the line; the last 22 bits are of the book.
  expect(uuid).toBe("019caf10-3180-7000-8000-0001c0be2023");
  expect(entryIdOf(book, at, 7, 2)).toBe(entryIdOf(book, at, 7, 2));
});

it("sorts as entries were written", () => {
  const inOrder = [
    entryIdOf(book, at, 1, 1),
    entryIdOf(book, at, 1, 2),
    entryIdOf(book, at, 2, 1),
    entryIdOf(book, at, 255, 200),
    entryIdOf(book, at, 256, 1),
    entryIdOf(book, at, 17_000_000_000_000, 1),
    entryIdOf(book, new Date(at.getTime() + 1), 3, 1),
  ];
  expect([...inOrder].sort()).toEqual(inOrder);
  expect(new Set(inOrder).size).toBe(inOrder.length);
});

it("differs from book to book", () => {
  expect(entryIdOf("018f7c5e-0000-7000-8000-000000000002", at, 7, 2)).not.toBe(entryIdOf(book, at, 7, 2));
});
