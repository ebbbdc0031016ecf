import { validate, version } from "uuid";
import { afterEach, expect, it, vi } from "vitest";
import { uuid7 } from "./uuid7.ts";

afterEach(() => {
  vi.useRealTimers();
});

it("makes UUIDs of version 7, each above the one before", () => {
  const made = Array.from({ length: 20_000 }, uuid7);
  expect(made.every((uuid) => validate(uuid) && version(uuid) === 7)).toBe(true);
  expect(made).toEqual([...new Set(made)].sort());
});

it("begins with the milliseconds since 1970", () => {
  vi.useFakeTimers({ now: new Date("2100-01-01T00:00:00.123Z") });
  expect(uuid7()).toMatch(/^03bb2cc3-d87b-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

it("still rises when the clock is set back", () => {
  vi.useFakeTimers({ now: new Date("2100-01-01T00:00:01Z") });
  const before = uuid7();
  vi.setSystemTime(new Date("2099-01-01T00:00:00Z"));
  expect(uuid7() > before).toBe(true);
});

it("has nothing in common with the next but the time and a counter", () => {
  vi.useFakeTimers({ now: new Date("2100-01-01T00:00:02Z") });
  const tails = new Set(Array.from({ length: 1_000 }, () => uuid7().slice(-12)));
  expect(tails.size).toBe(1_000);
});
