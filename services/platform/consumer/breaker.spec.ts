import { describe, expect, it } from "vitest";
import { Breaker } from "./breaker.ts";

describe("messages that fail alone, one after the other, with the same code", () => {
  it("count as a bad deploy once they reach the limit", () => {
    const breaker = new Breaker(3);
    expect(["a", "b", "c"].map((message) => breaker.failedAlone(message, "42P01"))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it("count as a bad deploy until a message succeeds: one more failure is enough", () => {
    const breaker = new Breaker(3);
    for (const message of ["a", "b", "c"]) breaker.failedAlone(message, "42P01");
    expect(breaker.failedAlone("a", "42P01")).toBe(true);
    breaker.succeeded();
    expect(breaker.failedAlone("a", "42P01")).toBe(false);
  });
});

describe("bad messages", () => {
  it("are the cause when one message fails repeatedly", () => {
    const breaker = new Breaker(3);
    for (let time = 0; time < 10; time += 1) expect(breaker.failedAlone("a", "23514")).toBe(false);
  });

  it("are the cause when others succeed between them", () => {
    const breaker = new Breaker(3);
    for (const message of ["a", "b", "c", "d"]) {
      expect(breaker.failedAlone(message, "23514")).toBe(false);
      breaker.succeeded();
    }
  });

  it("are the cause when they fail for different reasons", () => {
    const breaker = new Breaker(2);
    expect(breaker.failedAlone("a", "23514")).toBe(false);
    expect(breaker.failedAlone("b", "22P02")).toBe(false);
    expect(breaker.failedAlone("c", "23514")).toBe(false);
    expect(breaker.failedAlone("d", "23514")).toBe(true);
  });
});
