/** Rounds, medians and percentiles, used for every figure of the table. */
import { type CpuMeter, cpuBetween, type CpuTimes } from "./cpu.ts";

/** One stretch of work. */
export interface Measured {
  readonly operations: number;
  readonly seconds: number;
  readonly cpu: CpuTimes;
  /** CPU that other programs of the machine used, in per cent of one core. */
  readonly othersPercent: number;
}

export interface Contender {
  readonly name: string;
  /** Works for about `seconds`, and resolves when all its operations have finished. */
  run(seconds: number): Promise<Measured>;
}

export interface Figure {
  readonly name: string;
  /** Operations per second, one of each round. */
  readonly rates: readonly number[];
  readonly medianRate: number;
  /** µs by process, over all rounds. */
  readonly cpuPerOperation: CpuTimes;
  readonly othersPercent: number;
}

/** Measures the work between two moments: `count` returns how much has been done so far. */
export async function watch(
  meter: CpuMeter,
  count: () => Promise<number> | number,
  work: () => Promise<unknown>,
): Promise<Measured> {
  const cpuBefore = await meter.read();
  const countBefore = await count();
  const startedAt = performance.now();
  await work();
  const countAfter = await count();
  const seconds = (performance.now() - startedAt) / 1_000;
  const used = cpuBetween(cpuBefore, await meter.read());
  const ours = Object.values(used.byProcess).reduce((sum, us) => sum + us, 0);
  return {
    operations: countAfter - countBefore,
    seconds,
    cpu: used.byProcess,
    othersPercent: Math.max(0, ((used.machineUs - ours) / (seconds * 1e6)) * 100),
  };
}

/** Runs the contenders by turns, so that other work of the machine affects all of them alike. */
export async function interleave(
  contenders: readonly Contender[],
  { rounds, seconds }: { rounds: number; seconds: number },
  log: (line: string) => void,
): Promise<Figure[]> {
  const measured = contenders.map((): Measured[] => []);
  for (let round = 1; round <= rounds; round++) {
    for (const [index, contender] of contenders.entries()) {
      const one = await contender.run(seconds);
      measured[index]?.push(one);
      log(
        `round ${String(round)}  ${contender.name.padEnd(34)} ${(one.operations / one.seconds).toFixed(0)}/s`,
      );
    }
  }
  return contenders.map(({ name }, index) => figureOf(name, measured[index] ?? []));
}

function figureOf(name: string, rounds: readonly Measured[]): Figure {
  const rates = rounds.map(({ operations, seconds }) => operations / seconds);
  const operations = rounds.reduce((sum, one) => sum + one.operations, 0);
  const processes = [...new Set(rounds.flatMap(({ cpu }) => Object.keys(cpu)))];
  const perOperation = processes.map((process): [string, number] => [
    process,
    rounds.reduce((sum, { cpu }) => sum + (cpu[process] ?? 0), 0) / Math.max(1, operations),
  ]);
  return {
    name,
    rates,
    medianRate: median(rates),
    cpuPerOperation: Object.fromEntries(perOperation.sort(([, a], [, b]) => b - a)),
    othersPercent: median(rounds.map((one) => one.othersPercent)),
  };
}

/** The median of the rounds' own ratios: a disturbance of both sides of a round cancels out. */
export function ratioOf(figure: Figure, baseline: Figure): number {
  return median(figure.rates.map((rate, round) => rate / (baseline.rates[round] ?? Number.NaN)));
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? (upper + (sorted[middle - 1] ?? Number.NaN)) / 2 : upper;
}

/** Nearest rank: the smallest value that at least that share of all does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
