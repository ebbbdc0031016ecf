import { expect, it } from "vitest";
import { Turns } from "./turns.ts";

/** Work that ends on request. */
function startWork(turns: Turns<string>, key: string, name: string, started: string[]) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = turns.run(key, () => {
    started.push(name);
    return promise;
  });
  return { end: resolve, done };
}

it("runs at most so many of a key at once, in order of arrival", async () => {
  const turns = new Turns<string>(2);
  const started: string[] = [];
  const [first, second, third, fourth] = ["1", "2", "3", "4"].map((name) =>
    startWork(turns, "a", name, started),
  );
  await Promise.resolve();
  expect(started).toEqual(["1", "2"]);
  second?.end();
  await second?.done;
  // The turn is passed on, so work that comes now does not overtake.
  const fifth = startWork(turns, "a", "5", started);
  first?.end();
  await first?.done;
  third?.end();
  await third?.done;
  fourth?.end();
  fifth.end();
  await Promise.all([fourth?.done, fifth.done]);
  expect(started).toEqual(["1", "2", "3", "4", "5"]);
});

it("does not let one key wait for another", async () => {
  const turns = new Turns<string>(1);
  const started: string[] = [];
  const held = startWork(turns, "a", "a", started);
  const other = startWork(turns, "b", "b", started);
  other.end();
  await other.done;
  expect(started).toEqual(["a", "b"]);
  held.end();
  await held.done;
});
