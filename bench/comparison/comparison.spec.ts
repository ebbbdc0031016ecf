import { describe, expect, it } from "vitest";
import { compareRounds, comparisonTable, readingsOf } from "./comparison.ts";
import { bounded, compared, notMeasured } from "../report.ts";

const bounds = { floor: 1, goal: 2 };
const reading = (value: number) => [{ name: "orders: rate", unit: "/s", value }];

describe("readings of a result", () => {
  it("are the rate and the CPU per operation of a compared row, without the load generators", () => {
    const ours = {
      name: "orders",
      rates: [190, 200, 210],
      medianRate: 200,
      cpuPerOperation: {
        gateway: 300,
        "postgres ledger": 100,
        nats: 50,
        "load: payer": 900,
        "bench itself": 70,
      },
      othersPercent: 0,
    };
    const baseline = { ...ours, name: "TPC-B", medianRate: 1_000 };
    expect(readingsOf([compared(ours, baseline, { what: "Orders/s", ...bounds })])).toEqual([
      { name: "Orders/s: rate", unit: "/s", value: 200 },
      {
        name: "Orders/s: CPU each",
        unit: "µs",
        value: 450,
        parts: { gateway: 300, "postgres ledger": 100, nats: 50 },
      },
    ]);
  });

  it("are the value and its unit of a row without a baseline, and nothing of a row that was not measured", () => {
    const rows = [
      bounded("POST p99", 12.34, { ...bounds, unit: "ms" }, []),
      notMeasured("idle", bounds, "left out"),
    ];
    expect(readingsOf(rows)).toEqual([{ name: "POST p99", unit: "ms", value: 12.34 }]);
  });
});

it("readings of a run with --pace are named by the pace, also if an older bench called it half of capacity", () => {
  const rows = ["POST p99 at half of capacity", "POST p99 at 150 orders/s"].map((what) =>
    bounded(what, 12, { ...bounds, unit: "ms" }, []),
  );
  expect(readingsOf(rows, 150).map(({ name }) => name)).toEqual([
    "POST p99 at 150 orders/s",
    "POST p99 at 150 orders/s",
  ]);
  expect(readingsOf(rows).map(({ name }) => name)).toEqual([
    "POST p99 at half of capacity",
    "POST p99 at 150 orders/s",
  ]);
});

describe("comparing rounds", () => {
  it("gives the median ratio and the median difference of this tree from itself", () => {
    const rounds = [
      { before: reading(100), other: reading(100), after: reading(104) },
      { before: reading(120), other: reading(100), after: reading(120) },
      { before: reading(110), other: reading(100), after: reading(121) },
    ];
    const [comparison] = compareRounds(rounds);
    expect(comparison?.ratio).toBeCloseTo(1.155, 10);
    expect(comparison?.noise).toBeCloseTo(0.04, 10);
    expect(comparison?.ours).toBe(115);
    expect(comparison?.theirs).toBe(100);
  });

  it("leaves out a round in which one tree has no reading", () => {
    const rounds = [
      { before: reading(100), other: [], after: reading(100) },
      { before: reading(100), other: reading(200), after: reading(100) },
    ];
    expect(compareRounds(rounds)[0]?.ratios).toEqual([0.5]);
  });

  it("leaves out a row that only one tree has", () => {
    expect(compareRounds([{ before: reading(1), other: [], after: reading(1) }])).toEqual([]);
  });
});

it("the table lists CPU by process, ours and theirs", () => {
  const cpu = (ledger: number) => [
    { name: "orders: CPU each", unit: "µs", value: ledger + 20, parts: { nats: 20, ledger, idle: 0.2 } },
  ];
  const round = { before: cpu(90), other: cpu(70), after: cpu(110) };
  expect(comparisonTable(compareRounds([round]), "abd9c37")).toContain("  µs ledger 100/70, nats 20/20");
});

it("the table says whether a difference is larger than the noise", () => {
  const within = { before: reading(100), other: reading(103), after: reading(106) };
  const beyond = { before: reading(100), other: reading(80), after: reading(101) };
  expect(comparisonTable(compareRounds([within]), "abd9c37")).toContain("| +0.0 %     | ±6.0 %");
  expect(comparisonTable(compareRounds([within]), "abd9c37")).toMatch(/\| no +\|/);
  expect(comparisonTable(compareRounds([beyond]), "abd9c37")).toMatch(/\| \+25\.6 % +\| ±1\.0 % +\| yes +\|/);
});

it("what is missing is listed below the table", () => {
  const round = { before: reading(100), other: reading(80), after: reading(101) };
  const lines = comparisonTable(compareRounds([round]), "abd9c37", ["round 1, abd9c37: why"]).split("\n");
  expect(lines.slice(-2)).toEqual(["Missing:", "  round 1, abd9c37: why"]);
});
