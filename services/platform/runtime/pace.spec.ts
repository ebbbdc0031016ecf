import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Pace } from "./pace.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => vi.useRealTimers());

it("lets the first start come at once, and the next after the interval", () => {
  const pace = new Pace(8);
  expect(pace.waitMs).toBe(0);
  pace.start();
  expect(pace.waitMs).toBe(8);
  vi.advanceTimersByTime(5);
  expect(pace.waitMs).toBe(3);
  vi.advanceTimersByTime(5);
  expect(pace.waitMs).toBe(0);
});

it("allows a burst of starts after idleness, and then one per interval", () => {
  const pace = new Pace(10, 3);
  const startsBy = (ms: number) => {
    vi.advanceTimersByTime(ms);
    let starts = 0;
    for (; pace.waitMs === 0; starts += 1) pace.start();
    return starts;
  };
  expect(startsBy(0)).toBe(3);
  expect(startsBy(9)).toBe(0);
  expect(startsBy(1)).toBe(1);
  expect(startsBy(20)).toBe(2);
  expect(startsBy(10_000)).toBe(3);
});

it("makes the next start wait at most one interval, however many came without waiting", () => {
  const pace = new Pace(10, 3);
  for (let starts = 0; starts < 100; starts += 1) pace.start();
  expect(pace.waitMs).toBe(10);
});

it("with an interval of 0, never makes a start wait", () => {
  const pace = new Pace(0);
  pace.start();
  expect(pace.waitMs).toBe(0);
});
