/** How long a caller and a receiver wait: at a fixed rate, and at half of the capacity that this run measured. */
import { setTimeout as delay } from "node:timers/promises";
import { type CpuTimes, sumOf, withoutLoad } from "../measures/cpu.ts";
import { type Measured, percentile, watch } from "../measures/measure.ts";
import type { Options } from "../options.ts";
import { bounded, notMeasured, type Row, withoutBounds } from "../report.ts";
import type { Stage } from "../stage.ts";
import type { Arrival } from "../workers/receiver.ts";
import type { Posted } from "../workers/payer.ts";

/** Orders a second at which commits of different capacities can be compared. */
const fixedPace = 200;

interface Bounds {
  readonly floor: number;
  readonly goal: number;
}
/** What is measured, in milliseconds, with the bounds at the fixed rate and at half of the capacity. */
const waits = {
  post: {
    what: "POST /v1/payment-orders p99",
    fixed: { floor: 140, goal: 25 },
    half: { floor: 140, goal: 50 },
  },
  completed: {
    what: "Accepted → Completed p99, instant rail,",
    fixed: { floor: 600, goal: 150 },
    half: { floor: 600, goal: 200 },
  },
  webhook: {
    what: "First webhook attempt p99 after commit",
    fixed: { floor: 250, goal: 100 },
    half: { floor: 250, goal: 100 },
  },
} as const;
type Wait = keyof typeof waits;
const kinds = Object.keys(waits) as Wait[];
/** Microseconds of CPU an order at the fixed rate, without the load generators. */
const cpuBounds: Bounds = { floor: 10_000, goal: 3_500 };

/** A rate, and which bounds hold for it. */
export interface Pace {
  readonly perSecond: number;
  readonly bounds: "fixed" | "half" | "none";
}

/**
 * Sends at a constant rate that doesn't depend on the responses: at the fixed one, and at half of `capacity` (orders
 * per second). `--pace` replaces both by one, which has bounds only if it is the fixed one.
 */
export async function measureLatencies(
  stage: Stage,
  options: Options,
  capacity: number | undefined,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const pace of pacesOf(options.pace, capacity)) rows.push(...(await atPace(stage, options, pace)));
  if (options.pace !== undefined || capacity !== undefined) return rows;
  const why = "needs the capacity: run it with orders, or with --pace";
  const missing = kinds.map((kind) =>
    notMeasured(`${waits[kind].what} ${nameOfHalf}`, waits[kind].half, why),
  );
  return [...rows, ...missing];
}

export function pacesOf(pace: number | undefined, capacity: number | undefined): Pace[] {
  if (pace !== undefined) return [{ perSecond: pace, bounds: pace === fixedPace ? "fixed" : "none" }];
  const fixed: Pace = { perSecond: fixedPace, bounds: "fixed" };
  if (capacity === undefined) return [fixed];
  return [fixed, { perSecond: Math.max(1, Math.round(capacity / 2)), bounds: "half" }];
}

const nameOfHalf = "at half of capacity";

async function atPace(stage: Stage, options: Options, pace: Pace): Promise<Row[]> {
  const seconds = options.rounds * options.seconds;
  const { posted, arrivals, measured } = await paced(stage, pace.perSecond, seconds);
  const samples = {
    post: posted.map(({ tookMs }) => tookMs),
    completed: completionTimes({ posted, arrivals }),
    // An event is dated just before its commit, so this errs on the long side.
    webhook: arrivals.map(({ occurredAtMs, arrivedAtMs }) => arrivedAtMs - occurredAtMs),
  };
  return latencyRows(pace, samples, measured, seconds);
}

/** A row for each wait, and one for the CPU unless the rate depends on the run. */
export function latencyRows(
  { perSecond, bounds }: Pace,
  samples: Readonly<Record<Wait, readonly number[]>>,
  { cpu, operations, othersPercent }: Pick<Measured, "cpu" | "operations" | "othersPercent">,
  seconds: number,
): Row[] {
  const at = bounds === "half" ? nameOfHalf : `at ${String(perSecond)} orders/s`;
  const boundsFor = (row: Row) => (bounds === "none" ? withoutBounds(row) : row);
  const note = `${String(perSecond)} orders/s for ${String(seconds)} s, open loop; others took ${othersPercent.toFixed(0)} % of a core`;
  const own = withoutLoad(cpu);
  const each = Math.round(sumOf(own) / operations);
  const load = Object.entries(cpu).filter(([part]) => !(part in own));
  const parts = `${partsOf(own, operations)}; besides, ${partsOf(Object.fromEntries(load), operations)}`;
  const rows = kinds.map((kind) =>
    boundsFor(
      latencyRow(
        `${waits[kind].what} ${at}`,
        waits[kind][bounds === "half" ? "half" : "fixed"],
        samples[kind],
        `${note}, ${String(each)} µs of CPU an order = ${parts}`,
      ),
    ),
  );
  if (bounds === "half") return rows;
  const what = `CPU of services, Postgres and NATS an order ${at}`;
  return [boundsFor(bounded(what, each, { ...cpuBounds, unit: "µs" }, [note, parts])), ...rows];
}

/** Microseconds an order of each process, the largest first. */
function partsOf(cpu: CpuTimes, operations: number): string {
  const parts = Object.entries(cpu).map(([part, us]) => [part, Math.round(us / operations)] as const);
  // The CPU of a session that closed moves to `postgres ended`, so a part can be negative.
  const shown = parts.filter(([, us]) => us !== 0).toSorted(([, one], [, other]) => other - one);
  return shown.map(([part, us]) => `${part} ${String(us)}`).join(", ");
}

interface Paced {
  readonly posted: readonly Posted[];
  readonly arrivals: readonly Arrival[];
}

/** From each order's acceptance to its completion, in milliseconds. Throws if an order never completed. */
export function completionTimes({ posted, arrivals }: Paced): number[] {
  const completed = new Map(
    arrivals.flatMap((event) => (event.type.endsWith(".completed") ? [[event.orderId, event]] : [])),
  );
  const times = posted.flatMap(({ orderId, createdAtMs }) => {
    const event = completed.get(orderId);
    return event === undefined ? [] : [event.occurredAtMs - createdAtMs];
  });
  if (times.length < posted.length)
    throw new Error(`${String(posted.length - times.length)} orders never completed`);
  return times;
}

/** Sends orders at a constant rate, and collects their webhooks. */
export async function paced({ payer, receiver, meter }: Stage, perSecond: number, seconds: number) {
  receiver.send({ kind: "count", what: "deliveries" });
  receiver.send({ kind: "record" });
  let posted: readonly Posted[] = [];
  const measured = await watch(
    meter,
    () => 0,
    async () => {
      const answer = payer.answer(
        "a paced run",
        (message) => (message.kind === "paced" ? message : undefined),
        (seconds + 60) * 1_000,
      );
      payer.send({ kind: "pace", perSecond, seconds });
      const { refused, ...paid } = await answer;
      if (refused.length > 0)
        throw new Error(`${String(refused.length)} POSTs failed; the first: ${refused[0] ?? ""}`);
      posted = paid.posted;
    },
  );
  // Some orders are still on their way. They must count as late, not as missing.
  await delay(5_000);
  const arrivals = receiver.answer("taking", (message) =>
    message.kind === "arrivals" ? message.arrivals : undefined,
  );
  receiver.send({ kind: "take" });
  return {
    posted,
    arrivals: (await arrivals) as readonly Arrival[],
    measured: { ...measured, operations: posted.length },
  };
}

function latencyRow(what: string, { floor, goal }: Bounds, samplesMs: readonly number[], note: string): Row {
  const p99 = percentile(samplesMs, 0.99);
  const shares = [0.5, 0.9, 0.99, 0.999].map(
    (share) => `p${String(share * 100)} ${percentile(samplesMs, share).toFixed(1)}`,
  );
  return {
    what,
    against: "",
    measured: `${p99.toFixed(1)} ms`,
    baseline: "",
    value: p99,
    shown: "",
    floor: `${String(floor)} ms`,
    goal: `${String(goal)} ms`,
    met: p99 <= goal ? "Goal" : p99 <= floor ? "Floor" : "no",
    notes: [`${shares.join(", ")} ms of ${String(samplesMs.length)}; ${note}`],
  };
}
