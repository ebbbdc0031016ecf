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

it("runs at most two of a key at once, in order of arrival", async () => {
  const turns = new Turns<string>({ perKey: 2 });
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
  const turns = new Turns<string>({ perKey: 1 });
  const started: string[] = [];
  const held = startWork(turns, "a", "a", started);
  const other = startWork(turns, "b", "b", started);
  other.end();
  await other.done;
  expect(started).toEqual(["a", "b"]);
  held.end();
  await held.done;
});

it("leaves turns for other keys, however many wait for those that hang", async () => {
  const turns = new Turns<string>({ total: 8 });
  const started: string[] = [];
  const begin = (key: string) => Array.from({ length: 20 }, () => startWork(turns, key, key, started));
  const count = (key: string) => started.filter((name) => name === key).length;
  const first = begin("a");
  begin("b");
  begin("c");
  await Promise.resolve();
  expect([count("a"), count("b"), count("c")]).toEqual([4, 2, 1]);
  for (const { end } of first) end();
  await Promise.all(first.map(({ done }) => done));
  // What "a" had goes to those that wait, and never all of it.
  expect([count("a"), count("b"), count("c")]).toEqual([20, 3, 3]);
  const other = startWork(turns, "d", "d", started);
  other.end();
  await other.done;
});

it("lets one run where there is only one turn", async () => {
  const turns = new Turns<string>({ total: 1 });
  const started: string[] = [];
  const works = ["a", "b", "a"].map((key) => startWork(turns, key, key, started));
  await Promise.resolve();
  expect(started).toEqual(["a"]);
  for (const { end } of works) end();
  await Promise.all(works.map(({ done }) => done));
  expect(started).toEqual(["a", "b", "a"]);
});

it("gives each key a turn before any has its next, where there are more keys than turns", async () => {
  const turns = new Turns<string>({ total: 2 });
  const started: string[] = [];
  const works = ["a", "b", "c", "d"].flatMap((key) => [key, key, key]);
  await Promise.all(works.map((key) => turns.run(key, () => Promise.resolve(started.push(key)))));
  expect(started.slice(0, 4).sort()).toEqual(["a", "b", "c", "d"]);
  expect(started.slice(4, 8).sort()).toEqual(["a", "b", "c", "d"]);
});
