import { expect, it } from "vitest";
import { atMostEvery } from "./at-most-every.ts";

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 30, 12, 0, seconds));

it("acts once per interval, however often it is called", async () => {
  let acts = 0;
  const act = atMostEvery(10_000, () => Promise.resolve(void (acts += 1)));
  for (const seconds of [0, 1, 9, 10, 11, 19, 20]) await act(at(seconds));
  expect(acts).toBe(3);
});

it("acts again at once after a failure, and when the clock was set back", async () => {
  const ends = [Promise.reject(new Error("the database is away")), Promise.resolve(), Promise.resolve()];
  const act = atMostEvery(10_000, () => ends.shift() ?? Promise.reject(new Error("one too many")));
  await expect(act(at(5))).rejects.toThrow("the database is away");
  await act(at(6));
  await act(at(1));
  await act(at(2));
  expect(ends).toEqual([]);
});
