import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  addBankingDays,
  bankingDayBefore,
  bankingDayOf,
  lastBankingDayEndedBy,
  bankingDaysBetween,
  endOfDate,
  expectedSettlementDate,
  isBankingDay,
  newYorkDate,
  reserveBankClosures,
  settlementAt,
  settlementDateOf,
  windowAt,
} from "./banking-calendar.ts";

const published: Record<string, string[]> = JSON.parse(
  readFileSync(new URL("./testdata/reserve-bank-closures.json", import.meta.url), "utf8"),
);

const at = (text: string) => new Date(text);

describe("banking days", () => {
  it.each([2026, 2027, 2028, 2029, 2030])(
    "closes in %i on the days that the Reserve Banks publish",
    (year) => {
      expect([...reserveBankClosures(year)]).toEqual(published[String(year)]);
    },
  );

  it("keeps the Friday open before a holiday on Saturday", () => {
    expect(published["traps_open_fridays"]).toHaveLength(5);
    for (const friday of published["traps_open_fridays"] ?? []) expect(isBankingDay(friday)).toBe(true);
    expect(isBankingDay("2027-07-05")).toBe(false); // Independence Day on Sunday moves to Monday
  });

  it("counts banking days over weekends and holidays", () => {
    expect(addBankingDays("2026-07-02", 1)).toBe("2026-07-03"); // Friday, open though the 4th is observed by others
    expect(addBankingDays("2026-07-03", 1)).toBe("2026-07-06");
    expect(addBankingDays("2026-11-25", 2)).toBe("2026-11-30"); // Thanksgiving, then Friday, then the weekend
    expect(addBankingDays("2026-12-25", 0)).toBe("2026-12-28");
    expect(addBankingDays("2026-12-24", 0)).toBe("2026-12-24");
  });

  it("reads the date in New York, not in UTC", () => {
    expect(newYorkDate(at("2026-07-01T03:59:59Z"))).toBe("2026-06-30");
    expect(newYorkDate(at("2026-07-01T04:00:00Z"))).toBe("2026-07-01");
  });
});

describe("rail windows", () => {
  it.each(["Rtp", "Book", "Usdc"] as const)("has %s open around the clock", (rail) => {
    expect(windowAt(rail, at("2026-12-25T12:00:00Z"))).toEqual({ open: true, cutoffAt: null });
    expect(expectedSettlementDate(rail, at("2026-12-25T12:00:00Z"))).toBe("2026-12-25");
  });

  it("takes ACH until 16:45 and settles it on the next banking day", () => {
    // 16:44:59.999 and 16:45 in New York on a Wednesday in winter (UTC-5)
    expect(windowAt("Ach", at("2026-01-14T21:44:59.999Z"))).toEqual({
      open: true,
      cutoffAt: at("2026-01-14T21:45:00Z"),
    });
    expect(expectedSettlementDate("Ach", at("2026-01-14T21:44:59.999Z"))).toBe("2026-01-15");
    expect(windowAt("Ach", at("2026-01-14T21:45:00Z"))).toEqual({
      open: false,
      cutoffAt: at("2026-01-14T21:45:00Z"),
      nextWindowOpensAt: at("2026-01-15T05:00:00Z"),
      reason: "AfterCutoff",
    });
    expect(expectedSettlementDate("Ach", at("2026-01-14T21:45:00Z"))).toBe("2026-01-16");
  });

  it("says Weekend on a Saturday, and names Friday's cutoff and Monday's opening", () => {
    expect(windowAt("Ach", at("2026-01-10T15:00:00Z"))).toEqual({
      open: false,
      cutoffAt: at("2026-01-09T21:45:00Z"),
      nextWindowOpensAt: at("2026-01-12T05:00:00Z"),
      reason: "Weekend",
    });
    expect(expectedSettlementDate("Ach", at("2026-01-10T15:00:00Z"))).toBe("2026-01-13");
  });

  it("says Holiday on Thanksgiving", () => {
    expect(windowAt("SameDayAch", at("2026-11-26T15:00:00Z"))).toEqual({
      open: false,
      cutoffAt: at("2026-11-25T21:45:00Z"),
      nextWindowOpensAt: at("2026-11-27T05:00:00Z"),
      reason: "Holiday",
    });
    expect(expectedSettlementDate("SameDayAch", at("2026-11-26T15:00:00Z"))).toBe("2026-11-27");
  });

  it("settles Same-Day ACH on the day until its last cutoff, on the next banking day after it", () => {
    expect(expectedSettlementDate("SameDayAch", at("2026-01-16T21:44:00Z"))).toBe("2026-01-16");
    expect(windowAt("SameDayAch", at("2026-01-16T21:46:00Z"))).toMatchObject({
      open: false,
      reason: "AfterCutoff",
    });
    // Friday evening, then the weekend, then Martin Luther King Jr.'s birthday
    expect(expectedSettlementDate("SameDayAch", at("2026-01-16T21:46:00Z"))).toBe("2026-01-20");
  });

  it("opens wires at 21:00 the evening before, also on Sunday, and closes them at 17:00", () => {
    expect(windowAt("Wire", at("2026-01-12T01:59:59Z"))).toEqual({
      open: false,
      cutoffAt: at("2026-01-09T22:00:00Z"),
      nextWindowOpensAt: at("2026-01-12T02:00:00Z"),
      reason: "Weekend",
    });
    // Sunday 21:00: Monday's window
    expect(windowAt("Wire", at("2026-01-12T02:00:00Z"))).toEqual({
      open: true,
      cutoffAt: at("2026-01-12T22:00:00Z"),
    });
    expect(expectedSettlementDate("Wire", at("2026-01-12T02:00:00Z"))).toBe("2026-01-12");
    expect(windowAt("Wire", at("2026-01-12T22:00:00Z"))).toEqual({
      open: false,
      cutoffAt: at("2026-01-12T22:00:00Z"),
      nextWindowOpensAt: at("2026-01-13T02:00:00Z"),
      reason: "AfterCutoff",
    });
    expect(expectedSettlementDate("Wire", at("2026-01-12T22:00:00Z"))).toBe("2026-01-13");
  });
});

describe("the settlement of a payment", () => {
  it.each([
    // ACH settles at 08:30 of the next banking day; Monday 2027-02-15 is a holiday.
    ["Ach", "2027-02-12T21:44:59.999Z", "2027-02-16T13:30:00.000Z"],
    ["Ach", "2027-02-12T21:45:00.000Z", "2027-02-17T13:30:00.000Z"],
    // Same Day ACH settles at the time of its cutoff: 10:30, 14:45, 16:45 in New York.
    ["SameDayAch", "2027-02-12T15:29:59.999Z", "2027-02-12T18:00:00.000Z"],
    ["SameDayAch", "2027-02-12T15:30:00.000Z", "2027-02-12T22:00:00.000Z"],
    ["SameDayAch", "2027-02-12T19:44:59.999Z", "2027-02-12T22:00:00.000Z"],
    ["SameDayAch", "2027-02-12T19:45:00.000Z", "2027-02-12T23:00:00.000Z"],
    ["SameDayAch", "2027-02-12T21:44:59.999Z", "2027-02-12T23:00:00.000Z"],
    ["SameDayAch", "2027-02-12T21:45:00.000Z", "2027-02-16T18:00:00.000Z"],
    // Each of the others settles alone; a wire for a closed window when that opens, here Monday 21:00.
    ["Rtp", "2027-02-13T03:00:00.000Z", "2027-02-13T03:00:03.000Z"],
    ["Wire", "2027-02-12T21:59:00.000Z", "2027-02-12T22:01:00.000Z"],
    ["Wire", "2027-02-12T22:00:00.000Z", "2027-02-16T02:02:00.000Z"],
    ["Usdc", "2027-02-13T03:00:00.000Z", "2027-02-13T03:16:00.000Z"],
    ["Book", "2027-02-13T03:00:00.000Z", "2027-02-13T03:00:00.000Z"],
    // Clocks go forward on Sunday 2026-03-08, and back on Sunday 2026-11-01.
    ["Ach", "2026-03-06T21:00:00.000Z", "2026-03-09T12:30:00.000Z"],
    ["Ach", "2026-10-30T20:00:00.000Z", "2026-11-02T13:30:00.000Z"],
    ["SameDayAch", "2026-03-09T14:29:59.999Z", "2026-03-09T17:00:00.000Z"],
    ["Wire", "2026-03-07T12:00:00.000Z", "2026-03-09T01:02:00.000Z"],
    ["Wire", "2026-10-31T12:00:00.000Z", "2026-11-02T02:02:00.000Z"],
  ] as const)("on %s that the rail gets at %s is at %s", (rail, handedOffAt, settlesAt) => {
    expect(settlementAt(rail, at(handedOffAt)).toISOString()).toBe(settlesAt);
  });

  it.each([
    ["Ach", "2027-02-16T13:30:00.000Z", "2027-02-16"],
    ["Ach", "2027-02-13T13:30:00.000Z", "2027-02-16"],
    ["Rtp", "2027-02-13T13:30:00.000Z", "2027-02-13"],
    // After the customers' cutoff, and at the opening for the next banking day.
    ["Wire", "2027-02-12T22:01:00.000Z", "2027-02-12"],
    ["Wire", "2027-02-16T01:59:00.000Z", "2027-02-16"],
    ["Wire", "2027-02-16T02:02:00.000Z", "2027-02-16"],
    ["Wire", "2027-02-17T01:59:59.999Z", "2027-02-16"],
    ["Wire", "2027-02-17T02:00:00.000Z", "2027-02-17"],
    ["Wire", "2027-02-17T02:02:00.000Z", "2027-02-17"],
  ] as const)("on %s at %s is of %s", (rail, settledAt, date) => {
    expect(settlementDateOf(rail, at(settledAt))).toBe(date);
  });
});

describe("daylight saving time", () => {
  // 2026: clocks go forward on Sunday 8 March and back on Sunday 1 November.
  it("moves cutoffs an hour earlier in UTC when clocks go forward", () => {
    expect(windowAt("Ach", at("2026-03-06T15:00:00Z"))).toMatchObject({
      cutoffAt: at("2026-03-06T21:45:00Z"),
    });
    expect(windowAt("Ach", at("2026-03-09T15:00:00Z"))).toMatchObject({
      cutoffAt: at("2026-03-09T20:45:00Z"),
    });
    expect(windowAt("Ach", at("2026-03-07T15:00:00Z"))).toMatchObject({
      nextWindowOpensAt: at("2026-03-09T04:00:00Z"),
    });
    // Sunday 21:00 on the very day of the change
    expect(windowAt("Wire", at("2026-03-09T00:59:59Z")).open).toBe(false);
    expect(windowAt("Wire", at("2026-03-09T01:00:00Z")).open).toBe(true);
  });

  it("moves cutoffs an hour later in UTC when clocks go back", () => {
    expect(windowAt("Ach", at("2026-10-30T15:00:00Z"))).toMatchObject({
      cutoffAt: at("2026-10-30T20:45:00Z"),
    });
    expect(windowAt("Ach", at("2026-11-02T15:00:00Z"))).toMatchObject({
      cutoffAt: at("2026-11-02T21:45:00Z"),
    });
    expect(windowAt("Wire", at("2026-11-02T01:59:59Z")).open).toBe(false);
    expect(windowAt("Wire", at("2026-11-02T02:00:00Z")).open).toBe(true);
  });
});

describe("the days of bank statements", () => {
  it.each([
    ["2026-03-07T04:59:59.999Z", "2026-03-06"], // Friday's last millisecond
    ["2026-03-07T05:00:00.000Z", "2026-03-09"], // the weekend is Monday's
    ["2026-12-25T15:00:00.000Z", "2026-12-28"], // Christmas is a Friday
  ])("an instant %s is of banking day %s", (at, day) => {
    expect(bankingDayOf(new Date(at))).toBe(day);
  });

  it.each([
    ["2026-03-03T10:59:59.000Z", 6, "2026-02-27"],
    ["2026-03-03T11:00:00.000Z", 6, "2026-03-02"],
    ["2026-03-07T11:00:00.000Z", 6, "2026-03-06"], // Saturday morning: Friday is over
    ["2026-03-08T05:30:00.000Z", 6, "2026-03-06"],
    ["2026-03-09T10:00:00.000Z", 6, "2026-03-06"], // clocks went forward on the 8th
    ["2026-03-10T14:00:00.000Z", 10, "2026-03-09"],
    ["2026-03-10T13:59:59.000Z", 10, "2026-03-06"],
  ])("at %s and %i o'clock, %s is over", (at, hour, day) => {
    expect(lastBankingDayEndedBy(new Date(at), hour)).toBe(day);
  });

  it.each([
    ["2026-03-06", "2026-03-07T05:00:00.000Z"],
    ["2026-03-09", "2026-03-10T04:00:00.000Z"],
    ["2026-11-02", "2026-11-03T05:00:00.000Z"],
  ])("%s ends at %s", (date, at) => {
    expect(endOfDate(date)).toEqual(new Date(at));
  });

  it.each([
    ["2026-03-02", "2026-03-02", 0],
    ["2026-03-06", "2026-03-09", 1],
    ["2026-03-07", "2026-03-09", 1],
    ["2026-12-24", "2026-12-28", 1],
    ["2026-03-02", "2026-04-02", 23],
    ["2026-03-09", "2026-03-02", 0],
  ])("from %s to %s lie %i banking days", (from, to, days) => {
    expect(bankingDaysBetween(from, to)).toBe(days);
  });

  it.each([
    ["2026-03-09", "2026-03-06"],
    ["2026-12-28", "2026-12-24"],
  ])("before %s the last is %s", (date, day) => {
    expect(bankingDayBefore(date)).toBe(day);
  });
});
