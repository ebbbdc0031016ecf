import { describe, expect, it } from "vitest";
import { askedPauseMs } from "./retry-after.ts";

const now = new Date("1994-11-06T08:49:00.000Z");

describe("Retry-After asks for a pause", () => {
  it.each([
    ["in seconds", "120", 120_000],
    ["until an HTTP date", "Sun, 06 Nov 1994 08:49:37 GMT", 37_000],
    ["until a date as RFC 850 wrote it", "Sunday, 06-Nov-94 08:49:37 GMT", 37_000],
    ["until a date as asctime writes it", "Sun Nov  6 08:49:37 1994", 37_000],
    ["with spaces around it", " 5 ", 5_000],
  ])("%s", (_how, header, pauseMs) => expect(askedPauseMs(header, now)).toBe(pauseMs));

  it("by its first value, if it comes twice", () => expect(askedPauseMs(["7", "9"], now)).toBe(7_000));
});

describe("Retry-After asks for no pause", () => {
  it.each([
    ["if it is missing", undefined],
    ["if its date has passed", "Sun, 06 Nov 1994 08:48:59 GMT"],
    ["if it is negative", "-5"],
    ["if it is a fraction", "1.5"],
    ["if it is a date of another form", "2030-01-01T00:00:00Z"],
    ["if it is no date", "Sunday"],
    ["if it is empty", ""],
  ])("%s", (_when, header) => expect(askedPauseMs(header, now)).toBe(0));
});
