/** The table for people, and the file for comparisons. */
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type CpuTimes, sumOf, withoutLoad } from "./measures/cpu.ts";
import type { Machine } from "./machine.ts";
import { type Figure, ratioOf } from "./measures/measure.ts";

export interface Row {
  readonly what: string;
  readonly against: string;
  readonly measured: string;
  readonly baseline: string;
  /** The number that the bounds apply to: a ratio, or the measured value. Null if it was not measured. */
  readonly value: number | null;
  /** The ratio as the table shows it; empty without a comparison. */
  readonly shown: string;
  readonly floor: string;
  readonly goal: string;
  readonly met: "Goal" | "Floor" | "no" | "";
  readonly notes: readonly string[];
  readonly figures?: readonly Figure[];
}

/** A rate and its baseline; more is better. */
export function compared(
  ours: Figure,
  baseline: Figure,
  row: { what: string; floor: number; goal: number },
): Row {
  const ratio = ratioOf(ours, baseline);
  return {
    what: row.what,
    against: baseline.name,
    measured: `${ours.medianRate.toFixed(0)}/s`,
    baseline: `${baseline.medianRate.toFixed(0)}/s`,
    value: ratio,
    shown: `${ratio.toFixed(2)}×`,
    floor: `${String(row.floor)}×`,
    goal: `${String(row.goal)}×`,
    met: ratio >= row.goal ? "Goal" : ratio >= row.floor ? "Floor" : "no",
    notes: [ours, baseline].map(costs),
    figures: [ours, baseline],
  };
}

/** A value with bounds; less is better. */
export function bounded(
  what: string,
  value: number,
  bounds: { floor: number; goal: number; unit: string },
  notes: readonly string[],
): Row {
  const withUnit = (text: string) => `${text} ${bounds.unit}`.trimEnd();
  return {
    what,
    against: "",
    measured: withUnit(value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2)),
    baseline: "",
    value,
    shown: "",
    floor: withUnit(String(bounds.floor)),
    goal: withUnit(String(bounds.goal)),
    met: value <= bounds.goal ? "Goal" : value <= bounds.floor ? "Floor" : "no",
    notes,
  };
}

/** The same figure where no floor or goal holds for it. */
export function withoutBounds(row: Row): Row {
  return { ...row, floor: "", goal: "", met: "" };
}

export function notMeasured(
  what: string,
  { floor, goal }: { floor: number | string; goal: number | string },
  why: string,
): Row {
  const bounds = { floor: String(floor), goal: String(goal) };
  return {
    what,
    against: "",
    measured: "not measured",
    baseline: "",
    value: null,
    shown: "",
    ...bounds,
    met: "",
    notes: [why],
  };
}

function costs({ name, rates, cpuPerOperation, othersPercent }: Figure): string {
  const own = withoutLoad(cpuPerOperation);
  const isPostgres = (part: string) => part.startsWith("postgres ");
  const shown = (cpu: CpuTimes, isShown: (part: string) => boolean, between: string) =>
    Object.entries(cpu)
      .filter(([part, us]) => isShown(part) && Math.abs(us) >= 0.5)
      .map(([part, us]) => `${part.replace(/^postgres /, "")} ${us.toFixed(0)}`)
      .join(between);
  const postgres = Object.fromEntries(Object.entries(own).filter(([part]) => isPostgres(part)));
  const others = shown(own, (part) => !isPostgres(part), " + ");
  const load = shown(cpuPerOperation, (part) => !(part in own), ", ");
  const rounds = rates.map((rate) => rate.toFixed(0)).join(" ");
  return [
    `${name}: ${sumOf(own).toFixed(0)} µs of CPU each = postgres ${sumOf(postgres).toFixed(0)} (${shown(postgres, () => true, ", ")})`,
    others === "" ? "" : ` + ${others}`,
    load === "" ? "" : `; besides, ${load}`,
    `; rounds ${rounds}; others took ${othersPercent.toFixed(0)} % of a core`,
  ].join("");
}

/** The rows as a Markdown table, with the notes of each row below it. */
export function tableOf(rows: readonly Row[]): string {
  const head = ["What", "against", "measured", "baseline", "ratio", "Floor", "Goal", "met?"];
  const cells = rows.map((row) => [
    row.what,
    row.against,
    row.measured,
    row.baseline,
    row.shown,
    row.floor,
    row.goal,
    row.met,
  ]);
  const notes = rows.flatMap((row) => ["", row.what, ...row.notes.map((note) => `  ${note}`)]);
  return [markdownTable(head, cells), ...notes].join("\n");
}

export function markdownTable(head: readonly string[], cells: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const lineOf = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [lineOf(head), lineOf(widths.map((width) => "-".repeat(width))), ...cells.map(lineOf)].join("\n");
}

/** Writes `results/<date>.json`, or replaces it, and returns its path. */
export async function saveResult(result: {
  machine: Machine;
  options: object;
  rows: readonly Row[];
}): Promise<string> {
  const folder = join(import.meta.dirname, "results");
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${result.machine.at.slice(0, 19).replaceAll(":", "-")}.json`);
  await writeFile(`${file}.new`, `${JSON.stringify(result, null, 2)}\n`);
  await rename(`${file}.new`, file);
  return file;
}
