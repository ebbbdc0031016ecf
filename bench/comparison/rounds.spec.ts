import { describe, expect, it } from "vitest";
import { bounded, notMeasured, type Row } from "../report.ts";
import { type Compared, measureRounds, type Turn } from "./rounds.ts";

const ours = { name: "this tree" };
const theirs = { name: "abd9c37" };
const row = (what: string, value: number) => bounded(what, value, { floor: 1, goal: 1, unit: "ms" }, []);
const noRows = (group: string, why: string) => notMeasured(`rows of ${group}`, { floor: "", goal: "" }, why);
const turnWith = (...rows: Row[]): Turn => ({ rows, failure: undefined });

/** What is saved after each round, if the turns are these, in order. */
async function measure(turns: readonly Turn[]): Promise<Compared[]> {
  const saved: Compared[] = [];
  const left = [...turns];
  await measureRounds(
    { rounds: turns.length / 3, only: ["orders", "ledger"], pace: undefined, ours, theirs },
    async () => left.shift() ?? turnWith(),
    async (compared) => saved.push(compared),
    () => undefined,
  );
  return saved;
}

describe("a comparison", () => {
  it("lists the reason of a group that failed, and says that it has failed", async () => {
    const failed = turnWith(noRows("orders", "3 orders never completed"), row("ledger", 2));
    const [compared] = await measure([failed, turnWith(row("orders", 1), row("ledger", 1)), failed]);
    expect(compared?.comparisons.map(({ name }) => name)).toEqual(["ledger"]);
    expect(compared?.missing).toEqual([
      "round 1, this tree: rows of orders: 3 orders never completed",
      "round 1, this tree: rows of orders: 3 orders never completed",
      "orders: not compared, only abd9c37 has it",
    ]);
    expect(compared?.hasFailed).toBe(true);
  });

  it("has failed if every group of every turn did", async () => {
    const failed: Turn = { rows: [], failure: "its bench ended without a result (SIGKILL)" };
    const [compared] = await measure([failed, failed, failed]);
    expect(compared?.comparisons).toEqual([]);
    expect(compared?.missing).toEqual([
      "round 1, this tree: its bench ended without a result (SIGKILL)",
      "round 1, abd9c37: its bench ended without a result (SIGKILL)",
      "round 1, this tree: its bench ended without a result (SIGKILL)",
    ]);
    expect(compared?.hasFailed).toBe(true);
  });

  it("goes on after a turn that failed, and says how many rounds a row has", async () => {
    const good = turnWith(row("orders", 1));
    const bad: Turn = { rows: [], failure: "its bench ended without a result (1)" };
    const saved = await measure([good, good, good, good, bad, good]);
    expect(saved.map(({ rounds }) => rounds.length)).toEqual([1, 2]);
    expect(saved[1]?.comparisons[0]?.ratios).toEqual([1]);
    expect(saved[1]?.missing).toEqual([
      "round 2, abd9c37: its bench ended without a result (1)",
      "orders: compared in 1 of 2 rounds",
    ]);
    expect(saved[1]?.hasFailed).toBe(true);
  });

  it("has not failed if one tree's bench has a row more, or a group was left out", async () => {
    const more = turnWith(row("orders", 1), row("new row", 1), noRows("idle", "left out by --only"));
    const [compared] = await measure([more, turnWith(row("orders", 1)), more]);
    expect(compared?.missing).toEqual(["new row: not compared, only this tree has it"]);
    expect(compared?.hasFailed).toBe(false);
  });

  it("has failed if a bench says so by its exit code alone", async () => {
    const good = turnWith(row("orders", 1));
    const [compared] = await measure([good, { ...good, failure: "its bench ended with 1" }, good]);
    expect(compared?.missing).toEqual(["round 1, abd9c37: its bench ended with 1"]);
    expect(compared?.hasFailed).toBe(true);
  });
});
