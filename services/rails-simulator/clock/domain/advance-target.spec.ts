import { expect, it } from "vitest";
import type { ClockAdvanceCreate } from "../../../../contracts/http/sandbox/clock.ts";
import { targetOf } from "./advance-target.ts";

it.each<[string, ClockAdvanceCreate, string, string]>([
  ["Friday to Monday", { nextBankingDay: true }, "2027-03-05T15:00:00Z", "2027-03-08T05:00:00Z"],
  ["Saturday to Monday", { nextBankingDay: true }, "2027-03-06T15:00:00Z", "2027-03-08T05:00:00Z"],
  ["past a Monday holiday", { nextBankingDay: true }, "2027-02-12T23:00:00Z", "2027-02-16T05:00:00Z"],
  [
    "over the change to summer time",
    { nextBankingDay: true },
    "2027-03-12T15:00:00Z",
    "2027-03-15T04:00:00Z",
  ],
  ["a wire's closed window", { nextWindow: "Wire" }, "2027-02-12T23:00:00Z", "2027-02-16T02:00:00Z"],
  ["a wire's open window", { nextWindow: "Wire" }, "2027-02-12T20:00:00Z", "2027-02-16T02:00:00Z"],
  ["the next day's Ach", { nextWindow: "Ach" }, "2027-03-03T15:00:00Z", "2027-03-04T05:00:00Z"],
  ["a given time", { to: "2027-03-04T12:00:00-05:00" }, "2027-03-03T15:00:00Z", "2027-03-04T17:00:00Z"],
])("goes to %s", (_what, body, now, target) => {
  expect(targetOf(body, new Date(now))).toEqual(new Date(target));
});

it("has no time of its own for the next event", () => {
  expect(targetOf({ nextEvent: true }, new Date("2027-03-03T15:00:00Z"))).toBeNull();
});

it.each<[ClockAdvanceCreate, string]>([
  [{ to: "2027-03-03T14:59:59Z" }, "clock_goes_back"],
  [{ to: "2029-03-03T15:00:01Z" }, "invalid_field"],
  [{ nextWindow: "Rtp" }, "simulation_not_applicable"],
  [{ nextWindow: "Book" }, "simulation_not_applicable"],
])("refuses %o with %s", (body, code) => {
  expect(() => targetOf(body, new Date("2027-03-03T15:00:00Z"))).toThrow(expect.objectContaining({ code }));
});
