/** Two trees measured by turns: how far apart they are, and how far one tree is from itself. */
import { median } from "./measure.ts";
import { markdownTable, type Row } from "./report.ts";

/** One number of a result, such as orders per second or the 99th percentile of a POST. */
export interface Reading {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
}

/** This tree is measured before and after the other one, so that a slow drift of the machine cancels out. */
export interface Round {
  readonly before: readonly Reading[];
  readonly other: readonly Reading[];
  readonly after: readonly Reading[];
}

export interface Comparison {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  readonly theirs: number;
  /** Ours over theirs: the median of the rounds' own ratios. */
  readonly ratio: number;
  /** By which share this tree differs from itself within one round: the median of the rounds. */
  readonly noise: number;
  /** The ratio of each round, in order. */
  readonly ratios: readonly number[];
}

const loadGenerators = /^(load: .*|bench itself|pgbench)$/;

/** What the rows of a result say about the service. CPU is that of the services, Postgres and NATS, without the load generators. */
export function readingsOf(rows: readonly Row[]): Reading[] {
  return rows.flatMap((row) => {
    const figure = row.figures?.[0];
    if (figure !== undefined) {
      const parts = Object.entries(figure.cpuPerOperation).filter(([part]) => !loadGenerators.test(part));
      const cpu = parts.reduce((sum, [, us]) => sum + us, 0);
      return [
        { name: `${row.what}: rate`, unit: "/s", value: figure.medianRate },
        { name: `${row.what}: CPU each`, unit: "µs", value: cpu },
      ];
    }
    if (row.value === null) return [];
    return [{ name: row.what, unit: row.measured.split(" ")[1] ?? "", value: row.value }];
  });
}

/** Compares what every turn of at least one round measured; the order is that of the first round. */
export function compareRounds(rounds: readonly Round[]): Comparison[] {
  const names = new Map(rounds.flatMap(({ before }) => before.map(({ name, unit }) => [name, unit])));
  return [...names].flatMap(([name, unit]) => {
    const complete = rounds.flatMap((round) => {
      const before = valueOf(round.before, name);
      const other = valueOf(round.other, name);
      const after = valueOf(round.after, name);
      return before && other && after ? [{ before, other, after }] : [];
    });
    if (complete.length === 0) return [];
    const ratios = complete.map(({ before, other, after }) => (before + after) / 2 / other);
    return [
      {
        name,
        unit,
        ours: median(complete.flatMap(({ before, after }) => [before, after])),
        theirs: median(complete.map(({ other }) => other)),
        ratio: median(ratios),
        noise: median(complete.map(({ before, after }) => Math.abs(after / before - 1))),
        ratios,
      },
    ];
  });
}

function valueOf(readings: readonly Reading[], name: string): number | undefined {
  return readings.find((reading) => reading.name === name)?.value;
}

/** As a Markdown table, with the ratio of every round below it. */
export function comparisonTable(comparisons: readonly Comparison[], otherName: string): string {
  const lines = comparisons.map(({ name, unit, ours, theirs, ratio, noise }) => [
    name,
    withUnit(ours, unit),
    withUnit(theirs, unit),
    percent(ratio - 1),
    `±${(noise * 100).toFixed(1)} %`,
    Math.abs(ratio - 1) > noise ? "yes" : "no",
  ]);
  const head = ["What", "this tree", otherName, "difference", "this tree against itself", "beyond noise?"];
  const rounds = comparisons.flatMap(({ name, ratios }) => [
    "",
    name,
    `  rounds ${ratios.map((ratio) => percent(ratio - 1)).join("  ")}`,
  ]);
  return [markdownTable(head, lines), ...rounds].join("\n");
}

function withUnit(value: number, unit: string): string {
  const shown = value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
  return unit === "/s" ? `${shown}/s` : `${shown} ${unit}`.trimEnd();
}

function percent(share: number): string {
  return `${share < 0 ? "−" : "+"}${Math.abs(share * 100).toFixed(1)} %`;
}
