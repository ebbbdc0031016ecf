import { expect, it } from "vitest";
import { Groups, unlessAborted } from "./groups.ts";
import type { Group } from "./options.ts";
import { bounded, type Row } from "./report.ts";

const row = (what: string) => bounded(what, 1, { floor: 2, goal: 1, unit: "ms" }, []);
const shown = (rows: readonly Row[]) =>
  rows.flatMap(({ what, value, notes: [why] }) =>
    why === "left out by --only" ? [] : [[what, value ?? why]],
  );

function openGroups(...only: Group[]) {
  const stop = new AbortController();
  const saved: unknown[] = [];
  const groups = new Groups({
    only: new Set(only),
    signal: stop.signal,
    log: () => undefined,
    save: async (rows) => saved.push(shown(rows)),
  });
  return { groups, stop, saved };
}

it("rows are saved after each group, in the order of the table", async () => {
  const { groups, saved } = openGroups("idle", "orders");
  expect(await groups.run("idle", async () => [row("memory at rest")])).toEqual([row("memory at rest")]);
  expect(await groups.run("orders", async () => [row("orders per second")])).toHaveLength(1);
  expect(saved).toEqual([
    [
      ["rows of orders", "the bench ended before it"],
      ["memory at rest", 1],
    ],
    [
      ["orders per second", 1],
      ["memory at rest", 1],
    ],
  ]);
  expect(groups.hasFailed).toBe(false);
});

it("a group that fails is listed with the reason, and the others run", async () => {
  const { groups, saved } = openGroups("orders", "ledger");
  await groups.run("orders", () => Promise.reject(new Error("3 orders never completed")));
  await groups.run("ledger", async () => [row("transfers")]);
  expect(saved.at(-1)).toEqual([
    ["rows of orders", "3 orders never completed"],
    ["transfers", 1],
  ]);
  expect(groups.hasFailed).toBe(true);
});

it("a group that --only leaves out does not run, and is no failure", async () => {
  const { groups, saved } = openGroups("orders");
  expect(await groups.run("ledger", () => Promise.reject(new Error("it ran")))).toEqual([]);
  expect(saved).toEqual([]);
  expect(groups.hasFailed).toBe(false);
  expect(groups.rows().find(({ what }) => what === "rows of ledger")?.notes).toEqual(["left out by --only"]);
});

it("a signal ends the group that runs, and no other begins", async () => {
  const { groups, stop, saved } = openGroups("orders", "latency", "ledger");
  await groups.run("orders", async () => [row("orders per second")]);
  const endless = () => unlessAborted(stop.signal, () => new Promise<Row[]>(() => undefined));
  const latency = groups.run("latency", endless);
  stop.abort(new Error("the bench was stopped"));
  expect(await latency).toMatchObject([{ notes: ["the bench was stopped"] }]);
  expect(await groups.run("ledger", () => Promise.reject(new Error("it ran")))).toEqual([]);
  expect(saved.at(-1)).toEqual([
    ["orders per second", 1],
    ["rows of ledger", "the bench ended before it"],
    ["rows of latency", "the bench was stopped"],
  ]);
  expect(groups.hasFailed).toBe(true);
});
