import { describe, expect, it } from "vitest";
import { returnWindowEnd } from "./return-windows.ts";

const endOf = (code: string, settlementDate: string) =>
  returnWindowEnd(code, settlementDate)?.toISOString() ?? null;

describe("the window of a return code", () => {
  it.each(
    [
      "R01",
      "R02",
      "R03",
      "R04",
      "R08",
      "R09",
      "R12",
      "R14",
      "R15",
      "R16",
      "R17",
      "R20",
      "R21",
      "R22",
      "R24",
    ].concat(["R29", "R39", "R50"]),
  )("of %s ends at 08:30 of the second banking day after the settlement", (code) => {
    // Friday before Washington's birthday: Tuesday is the first banking day, Wednesday the second.
    expect(endOf(code, "2027-02-12")).toBe("2027-02-17T13:30:00.000Z");
  });

  it.each(["R05", "R07", "R10", "R11", "R33", "R37", "R38", "R51", "R52", "R53"])(
    "of %s ends at 08:30 of the banking day after the 60th calendar day",
    (code) => {
      // The 60th day is Sunday 2026-03-08, on which clocks go forward; then Monday.
      expect(endOf(code, "2026-01-07")).toBe("2026-03-09T12:30:00.000Z");
      // The 60th day is Friday 2026-03-06: Saturday and Sunday are no banking days.
      expect(endOf(code, "2026-01-05")).toBe("2026-03-09T12:30:00.000Z");
      // The 60th day is Monday 2026-03-09.
      expect(endOf(code, "2026-01-08")).toBe("2026-03-10T12:30:00.000Z");
    },
  );

  it.each(["R13", "R30"])("of %s ends with the next file", (code) => {
    expect(endOf(code, "2027-02-12")).toBe("2027-02-16T13:30:00.000Z");
  });

  it.each([
    ["R06", "the originator's bank asked for it"],
    ["R31", "both banks agree on it"],
    ["R23", "it counts from the receiver's refusal"],
    ["R61", "it counts from the return that it dishonours"],
    ["R73", "it counts from the dishonour"],
    ["R80", "the gateway sends it"],
    ["R90", "none is fixed"],
    ["R99", "there is no such code"],
  ])("of %s has no end: %s", (code) => {
    expect(endOf(code, "2027-02-12")).toBeNull();
  });
});
