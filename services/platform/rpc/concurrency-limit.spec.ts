import { describe, expect, it } from "vitest";
import { ConcurrencyLimit } from "./concurrency-limit.ts";

const enters = (limit: ConcurrencyLimit<string>, count: number, key = "mine") =>
  Array.from({ length: count }, () => limit.enter(key)).filter(Boolean).length;

describe("a key", () => {
  it("may have this total cost under way, and more as soon as a request ends", () => {
    const limit = new ConcurrencyLimit(6);
    expect(limit.enter("mine", 5)).toBe(true);
    expect(enters(limit, 3)).toBe(1);
    limit.leave("mine", 5);
    expect(enters(limit, 9)).toBe(5);
  });

  it("does not use up another key's limit", () => {
    const limit = new ConcurrencyLimit(1);
    expect([enters(limit, 2), enters(limit, 2, "other")]).toEqual([1, 1]);
  });

  it("may send a request heavier than the limit while it has no other under way", () => {
    const limit = new ConcurrencyLimit(2);
    expect([limit.enter("mine", 5), limit.enter("mine", 5)]).toEqual([true, false]);
    limit.leave("mine", 5);
    expect(limit.enter("mine", 5)).toBe(true);
  });

  it("is not limited by 0", () => {
    expect(enters(new ConcurrencyLimit(0), 1_000)).toBe(1_000);
  });
});
