/** How long a caller and a receiver wait, at half of the capacity that this run measured. */
import { setTimeout as delay } from "node:timers/promises";
import { type Measured, percentile, watch } from "../measure.ts";
import type { Options } from "../options.ts";
import { notMeasured, type Row } from "../report.ts";
import type { Stage } from "../stage.ts";
import type { Arrival } from "../workers/receiver.ts";
import type { Posted } from "../workers/payer.ts";

const whats = {
  post: "POST /v1/payment-orders p99 at half of capacity",
  completed: "Accepted → Completed p99, instant rail, at half of capacity",
  webhook: "First webhook attempt p99 after commit",
} as const;
const bounds = {
  post: { floor: 100, goal: 25 },
  completed: { floor: 1_000, goal: 150 },
  webhook: { floor: 2_000, goal: 250 },
} as const;
type Which = keyof typeof whats;

/**
 * Sends at a constant rate that doesn't depend on the responses: `--pace`, or half of `capacity` (orders per second).
 */
export async function measureLatencies(
  stage: Stage,
  options: Options,
  capacity: number | undefined,
): Promise<Row[]> {
  const perSecond =
    options.pace ?? (capacity === undefined ? undefined : Math.max(1, Math.round(capacity / 2)));
  if (perSecond === undefined) {
    return (Object.keys(whats) as Which[]).map((which) =>
      notMeasured(whats[which], bounds[which], "needs the capacity: run it with orders, or with --pace"),
    );
  }
  const seconds = options.rounds * options.seconds;
  const { posted, arrivals, measured } = await paced(stage, perSecond, seconds);
  const samples: Record<Which, number[]> = {
    post: posted.map(({ tookMs }) => tookMs),
    completed: completionTimes({ posted, arrivals }),
    // An event is dated just before its commit, so this errs on the long side.
    webhook: arrivals.map(({ occurredAtMs, arrivedAtMs }) => arrivedAtMs - occurredAtMs),
  };
  const note = `${String(perSecond)} orders/s for ${String(seconds)} s, open loop; others took ${measured.othersPercent.toFixed(0)} % of a core`;
  const cpu = `${cpuEach(measured)} µs of CPU an order`;
  return (Object.keys(whats) as Which[]).map((which) => latencyRow(which, samples[which], `${note}, ${cpu}`));
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

function cpuEach({ cpu, operations }: Measured): string {
  const spent = Object.values(cpu).reduce((sum, us) => sum + us, 0);
  return (spent / operations).toFixed(0);
}

function latencyRow(which: Which, samplesMs: readonly number[], note: string): Row {
  const p99 = percentile(samplesMs, 0.99);
  const { floor, goal } = bounds[which];
  const shares = [0.5, 0.9, 0.99, 0.999].map(
    (share) => `p${String(share * 100)} ${percentile(samplesMs, share).toFixed(1)}`,
  );
  return {
    what: whats[which],
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
