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

it("with an interval of 0, never makes a start wait", () => {
  const pace = new Pace(0);
  pace.start();
  expect(pace.waitMs).toBe(0);
});
