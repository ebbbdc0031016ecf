/** Compares two trees that were measured by turns, and one tree with itself. */
import { type CpuTimes, sumOf, withoutLoad } from "../measures/cpu.ts";
import { median } from "../measures/measure.ts";
import type { Group } from "../options.ts";
import { markdownTable, type Row } from "../report.ts";

/** One number of a result, such as orders per second or the 99th percentile of a POST. */
export interface Reading {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  /** Of a CPU reading: µs by process. */
  readonly parts?: CpuTimes;
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
  /** Of CPU: the median µs by process, ours and theirs. */
  readonly parts: readonly (readonly [process: string, ours: number, theirs: number])[];
}

/**
 * The readings in the rows of a result that was measured with this `--pace`. CPU is that of the services, Postgres and
 * NATS, without load generators.
 */
export function readingsOf(rows: readonly Row[], pace?: number): Reading[] {
  return rows.flatMap((row) => {
    const figure = row.figures?.[0];
    if (figure !== undefined) {
      const parts = withoutLoad(figure.cpuPerOperation);
      return [
        { name: `${row.what}: rate`, unit: "/s", value: figure.medianRate },
        { name: `${row.what}: CPU each`, unit: "µs", value: sumOf(parts), parts },
      ];
    }
    if (row.value === null) return [];
    const name = pace === undefined ? row.what : namedByPace(row.what, pace);
    return [{ name, unit: row.measured.split(" ")[1] ?? "", value: row.value }];
  });
}

/** Until 2026-11-28 the rows of a run with `--pace` were called those at half of the capacity, whatever it was. */
function namedByPace(what: string, pace: number): string {
  return what.replace(/ at half of capacity$/, ` at ${String(pace)} orders/s`);
}

/** Why a turn that was to measure these groups lacks rows. */
export function failuresOf(rows: readonly Row[], only: readonly Group[]): string[] {
  const wanted = new Set(only.map((group) => `rows of ${group}`));
  return rows.flatMap(({ what, value, notes }) =>
    value === null && wanted.has(what) ? [`${what}: ${notes.join("; ")}`] : [],
  );
}

/** Compares the readings that every turn of at least one round has, in the order of the first round. */
export function compareRounds(rounds: readonly Round[]): Comparison[] {
  const names = new Map(rounds.flatMap(({ before }) => before.map(({ name, unit }) => [name, unit])));
  return [...names].flatMap(([name, unit]) => {
    const complete = rounds.flatMap((round) => {
      const before = readingNamed(round.before, name);
      const other = readingNamed(round.other, name);
      const after = readingNamed(round.after, name);
      return before && other && after ? [{ before, other, after }] : [];
    });
    if (complete.length === 0) return [];
    const ours = complete.flatMap(({ before, after }) => [before, after]);
    const theirs = complete.map(({ other }) => other);
    const ratios = complete.map(({ before, other, after }) => (before.value + after.value) / 2 / other.value);
    return [
      {
        name,
        unit,
        ours: median(ours.map(({ value }) => value)),
        theirs: median(theirs.map(({ value }) => value)),
        ratio: median(ratios),
        noise: median(complete.map(({ before, after }) => Math.abs(after.value / before.value - 1))),
        ratios,
        parts: compareParts(ours, theirs),
      },
    ];
  });
}

/** The rows that not every round could compare, each with what is missing. */
export function incompleteRows(rounds: readonly Round[], otherName: string): string[] {
  const turnsOf = ({ before, other, after }: Round) => [before, other, after];
  const names = new Set(rounds.flatMap(turnsOf).flatMap((turn) => turn.map(({ name }) => name)));
  return [...names].flatMap((name) => {
    const has = rounds.map((round) => turnsOf(round).map((turn) => readingNamed(turn, name) !== undefined));
    const complete = has.filter((turns) => turns.every(Boolean)).length;
    if (complete === rounds.length) return [];
    if (complete > 0) return [`${name}: compared in ${String(complete)} of ${String(rounds.length)} rounds`];
    if (has.every(([before, , after]) => before !== true && after !== true))
      return [`${name}: not compared, only ${otherName} has it`];
    if (has.every(([, other]) => other !== true)) return [`${name}: not compared, only this tree has it`];
    return [`${name}: not compared, because no round is complete`];
  });
}

function readingNamed(readings: readonly Reading[], name: string): Reading | undefined {
  return readings.find((reading) => reading.name === name);
}

/** Processes that use a microsecond or more, the most expensive first. */
function compareParts(ours: readonly Reading[], theirs: readonly Reading[]): Comparison["parts"] {
  const processes = new Set([...ours, ...theirs].flatMap(({ parts = {} }) => Object.keys(parts)));
  const medianOf = (readings: readonly Reading[], process: string) =>
    median(readings.map(({ parts = {} }) => parts[process] ?? 0));
  return [...processes]
    .map((process) => [process, medianOf(ours, process), medianOf(theirs, process)] as const)
    .filter(([, our, their]) => Math.max(our, their) >= 1)
    .sort(([, left], [, right]) => right - left);
}

/**
 * As a Markdown table. Below it are the ratio of every round, CPU by process as ours/theirs, and what is missing.
 */
export function comparisonTable(
  comparisons: readonly Comparison[],
  otherName: string,
  missing: readonly string[] = [],
): string {
  const lines = comparisons.map(({ name, unit, ours, theirs, ratio, noise }) => [
    name,
    withUnit(ours, unit),
    withUnit(theirs, unit),
    percent(ratio - 1),
    `±${(noise * 100).toFixed(1)} %`,
    Math.abs(ratio - 1) > noise ? "yes" : "no",
  ]);
  const head = ["What", "this tree", otherName, "difference", "this tree against itself", "beyond noise?"];
  const notes = comparisons.flatMap(({ name, ratios, parts }) => [
    "",
    name,
    `  rounds ${ratios.map((ratio) => percent(ratio - 1)).join("  ")}`,
    ...(parts.length === 0
      ? []
      : [
          `  µs ${parts.map(([process, our, their]) => `${process} ${our.toFixed(0)}/${their.toFixed(0)}`).join(", ")}`,
        ]),
  ]);
  const missingLines = missing.length === 0 ? [] : ["", "Missing:", ...missing.map((line) => `  ${line}`)];
  return [markdownTable(head, lines), ...notes, ...missingLines].join("\n");
}

function withUnit(value: number, unit: string): string {
  const shown = value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
  return unit === "/s" ? `${shown}/s` : `${shown} ${unit}`.trimEnd();
}

function percent(share: number): string {
  return `${share < 0 ? "−" : "+"}${Math.abs(share * 100).toFixed(1)} %`;
}
