import { expect, it } from "vitest";
import { runCommandLine } from "./command-line.ts";
import { follow } from "./follow.ts";
import type { Given } from "./given.ts";

/** What a command prints that sees these numbers, one each second, until the work is done. */
async function printedFor(left: readonly number[], ...args: string[]): Promise<string[]> {
  const lines: string[] = [];
  const rest = [...left];
  let ms = 0;
  const look = async () => {
    const [now] = rest.splice(0, 1);
    return now === undefined ? undefined : `${String(now)} wait`;
  };
  const wait = async () => {
    ms += 1_000;
  };
  const followed = { service: "ledger", record: { book: "b" }, left: look } as const;
  const tool = {
    name: "books",
    commands: {
      go: { about: "go", run: (given: Given) => follow(given, followed, { now: () => ms, wait }) },
    },
  };
  const streams = { out: (line: string) => lines.push(line), error: (line: string) => lines.push(line) };
  await runCommandLine(tool, ["go", ...args], streams);
  return lines;
}
const seconds = (count: number, left: number) => Array.from({ length: count }, () => left);
const stalled = [
  "nothing has changed for 10 s: ledger does this, so it has to run",
  "It goes on without this command, which you can end (Ctrl-C) and repeat.",
];

it("shows each step, and ends when the work is done", async () => {
  expect(await printedFor([])).toEqual([]);
  expect(await printedFor([3, 3, 2, 1, 1])).toEqual(["3 wait", "2 wait", "1 wait"]);
});

it("says after ten seconds without a step which service has to run, once for each pause", async () => {
  expect(await printedFor(seconds(10, 3))).toEqual(["3 wait"]);
  expect(await printedFor(seconds(30, 3))).toEqual(["3 wait", ...stalled]);
  expect(await printedFor([...seconds(11, 3), ...seconds(11, 2)])).toEqual([
    "3 wait",
    ...stalled,
    "2 wait",
    ...stalled,
  ]);
});

it("says it as a record with --json", async () => {
  expect(await printedFor(seconds(30, 3), "--json")).toEqual(['{"book":"b","waitsFor":"ledger"}']);
});
