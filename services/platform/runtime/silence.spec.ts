import { beforeEach, expect, it, vi } from "vitest";
import { Silence } from "./silence.ts";

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

it("lasts since the last answer, or since the first question", () => {
  const silence = new Silence();
  silence.begin();
  vi.advanceTimersByTime(8_000);
  expect(silence.ms).toBe(8_000);
  silence.interrupt();
  vi.advanceTimersByTime(3_000);
  expect(silence.ms).toBe(3_000);
});

it("is none while nothing is asked", () => {
  const silence = new Silence();
  silence.interrupt();
  vi.advanceTimersByTime(1_000);
  expect(silence.ms).toBe(0);
  silence.begin();
  silence.end();
  vi.advanceTimersByTime(1_000);
  expect(silence.ms).toBe(0);
});
