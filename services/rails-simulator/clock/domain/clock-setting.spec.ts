import { describe, expect, it } from "vitest";
import { type BookClock, instantClock, timeIn } from "../../../../contracts/book-clock.ts";
import type { ClockPut } from "../../../../contracts/http/sandbox/clock.ts";
import { advancedTo, settingOf } from "./clock-setting.ts";

const realTime = new Date("2026-11-20T15:00:00.000Z");
const hours = (count: number) => count * 3_600_000;
const later = (ms: number) => new Date(realTime.getTime() + ms);
const codeOf = (current: BookClock, body: ClockPut) => {
  try {
    return settingOf(current, body, realTime);
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe("a clock that is set", () => {
  it("stands still at once when it becomes Manual", () => {
    const manual = settingOf(instantClock, { mode: "Manual" }, realTime);
    expect(manual).toEqual({ mode: "Manual", leadMs: 0, standsAt: realTime });
    expect(timeIn(manual, later(hours(5)))).toEqual(realTime);
  });

  it("is as far ahead as startAt says", () => {
    const ahead = settingOf(instantClock, { mode: "Real", startAt: "2026-11-21T15:00:00Z" }, realTime);
    expect(ahead).toEqual({ mode: "Real", leadMs: hours(24), standsAt: null });
    expect(timeIn(ahead, later(hours(1)))).toEqual(later(hours(25)));
  });

  it.each(["Instant", "Real"] as const)("keeps its lead when it leaves Manual for %s", (mode) => {
    const advanced = advancedTo(
      settingOf(instantClock, { mode: "Manual" }, realTime),
      later(hours(48)),
      realTime,
    );
    const left = settingOf(advanced, { mode }, later(hours(3)));
    expect(left).toEqual({ mode, leadMs: hours(48), standsAt: null });
    expect(timeIn(left, later(hours(3)))).toEqual(later(hours(51)));
  });

  it("becomes Manual again at the time that the book has reached", () => {
    const real = { mode: "Real", leadMs: hours(48), standsAt: null } as const;
    expect(settingOf(real, { mode: "Manual" }, realTime).standsAt).toEqual(later(hours(48)));
  });

  it("never goes back", () => {
    expect(codeOf(instantClock, { mode: "Real", startAt: "2026-11-20T14:59:59.999Z" })).toBe(
      "clock_goes_back",
    );
    const ahead = { mode: "Instant", leadMs: hours(2), standsAt: null } as const;
    expect(codeOf(ahead, { mode: "Real", startAt: "2026-11-20T16:00:00Z" })).toBe("clock_goes_back");
  });

  it("takes startAt up to two years ahead, and only while it is Instant", () => {
    expect(settingOf(instantClock, { mode: "Real", startAt: "2028-11-20T15:00:00Z" }, realTime).mode).toBe(
      "Real",
    );
    expect(codeOf(instantClock, { mode: "Real", startAt: "2028-11-20T15:00:00.001Z" })).toBe("invalid_field");
    const real = { mode: "Real", leadMs: 0, standsAt: null } as const;
    expect(codeOf(real, { mode: "Real", startAt: "2026-11-21T15:00:00Z" })).toBe("invalid_field");
  });
});

describe("an advance", () => {
  it("keeps the lead if real time has overtaken the clock", () => {
    const manual = { mode: "Manual", leadMs: hours(1), standsAt: later(hours(1)) } as const;
    const advanced = advancedTo(manual, later(hours(2)), later(hours(9)));
    expect(advanced).toEqual({ mode: "Manual", leadMs: hours(1), standsAt: later(hours(2)) });
  });
});
