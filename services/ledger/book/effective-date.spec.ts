import { describe, expect, it } from "vitest";
import { rejectEffectiveDate } from "./effective-date.ts";

const book = {
  now: new Date("2026-03-10T12:00:00.000Z"),
  began: new Date("2026-03-01T08:00:00.000Z"),
  closedThrough: new Date("2026-03-09T21:00:00.000Z"),
};
const why = (at: string, change: Partial<typeof book> | { closedThrough: null } = {}) =>
  rejectEffectiveDate(new Date(at), { ...book, ...change })?.detail ?? null;

describe("the effective date of a manual movement", () => {
  it.each([
    ["now", "2026-03-10T12:00:00.000Z"],
    ["five minutes ahead, to the millisecond", "2026-03-10T12:05:00.000Z"],
    ["right after the closed period", "2026-03-09T21:00:00.001Z"],
  ])("may be %s", (_when, at) => {
    expect(why(at)).toBeNull();
  });

  it("may be the book's first instant, while no period is closed", () => {
    expect(why("2026-03-01T08:00:00.000Z", { closedThrough: null })).toBeNull();
  });

  it.each([
    ["further ahead", "2026-03-10T12:05:00.001Z", "is in the future"],
    [
      "the closed period's last instant",
      "2026-03-09T21:00:00.000Z",
      "up to 2026-03-09T21:00:00.000Z is closed",
    ],
    ["before the book", "2026-03-01T07:59:59.999Z", "begins at 2026-03-01T08:00:00.000Z"],
  ])("must not be %s; the rejection says why", (_when, at, reason) => {
    expect(why(at)).toContain(reason);
  });
});
