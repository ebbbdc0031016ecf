import { describe, expect, it } from "vitest";
import { bisect } from "./bisect.ts";

/** Doubles numbers together; fails when one of them is in `bad`. */
function doublerOf(bad: readonly number[], error: Error = new Error("bad number")) {
  const runs: (readonly number[])[] = [];
  const run = (numbers: readonly number[]): Promise<string[]> => {
    runs.push(numbers);
    if (numbers.some((number) => bad.includes(number))) return Promise.reject(error);
    return Promise.resolve(numbers.map((number) => String(2 * number)));
  };
  return { run, runs };
}
const messageOf = (numbers: readonly number[], error: unknown) =>
  numbers.map((number) => `${String(number)}: ${(error as Error).message}`);

describe("bisecting", () => {
  it("runs all items together when none fails", async () => {
    const { run, runs } = doublerOf([]);
    expect(await bisect([1, 2, 3], run, messageOf)).toEqual(["2", "4", "6"]);
    expect(runs).toEqual([[1, 2, 3]]);
  });

  it("splits down to the item that fails alone, and returns results in the order of the items", async () => {
    const { run, runs } = doublerOf([4]);
    expect(await bisect([1, 2, 3, 4, 5], run, messageOf)).toEqual(["2", "4", "6", "4: bad number", "10"]);
    expect(runs).toEqual([[1, 2, 3, 4, 5], [1, 2, 3], [4, 5], [4], [5]]);
  });

  it("does not split after an infrastructure fault", async () => {
    const { run, runs } = doublerOf([1], Object.assign(new Error("away"), { code: "ECONNREFUSED" }));
    expect(await bisect([1, 2], run, messageOf)).toEqual(["1: away", "2: away"]);
    expect(runs).toEqual([[1, 2]]);
  });

  it("splits after an infrastructure fault, too, if its caller says so", async () => {
    const { run, runs } = doublerOf([1], Object.assign(new Error("locked"), { code: "55P03" }));
    expect(await bisect([1, 2], run, messageOf, () => true)).toEqual(["1: locked", "4"]);
    expect(runs).toEqual([[1, 2], [1], [2]]);
  });

  it("stops when onFailure throws", async () => {
    const { run, runs } = doublerOf([1]);
    const refuse = () => {
      throw new Error("stop");
    };
    await expect(bisect([1, 2], run, refuse)).rejects.toThrow("stop");
    expect(runs).toEqual([[1, 2], [1]]);
  });

  it("runs nothing for no items", async () => {
    const { run, runs } = doublerOf([]);
    expect(await bisect([], run, messageOf)).toEqual([]);
    expect(runs).toEqual([]);
  });
});
