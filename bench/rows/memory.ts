/** Memory of the five services after an hour at half load, beside the idle figure of the same run. */
import { setTimeout as delay } from "node:timers/promises";
import type { Options } from "../options.ts";
import { bounded, notMeasured, type Row } from "../report.ts";
import type { Stage } from "../stage.ts";
import { memoryOf, restMs } from "./idle.ts";
import { paced } from "./latency.ts";

const what = "Memory after load, five services, beside idle";
const bounds = { floor: 1.6, goal: 1.3 };

export interface Before {
  readonly idleMiB: number | undefined;
  /** Orders per second. */
  readonly capacity: number | undefined;
}

/** Sends orders minute by minute, so that the answers of an hour don't gather in the load generator. */
export async function measureMemory(
  stage: Stage,
  options: Options,
  { idleMiB, capacity }: Before,
  log: (line: string) => void,
): Promise<Row[]> {
  const perSecond = options.pace ?? (capacity === undefined ? undefined : Math.round(capacity / 2));
  if (idleMiB === undefined || perSecond === undefined)
    return [notMeasured(what, bounds, "needs the rows of idle, and of orders or --pace")];
  let highest = 0;
  for (let minute = 1; minute <= options.minutes; minute++) {
    await paced(stage, perSecond, 60);
    const { sum, detail } = await memoryOf(stage);
    highest = Math.max(highest, sum);
    log(`minute ${String(minute)}: ${sum.toFixed(0)} MiB (${detail})`);
  }
  await delay(restMs);
  const { sum, detail } = await memoryOf(stage);
  const note = [
    `idle ${idleMiB.toFixed(0)} MiB; after ${String(options.minutes)} minutes at ${String(perSecond)} orders/s`,
    `${sum.toFixed(0)} MiB (${detail}); at most ${highest.toFixed(0)} MiB at the end of a minute`,
  ].join(" ");
  return [bounded(what, sum / idleMiB, { ...bounds, unit: "×" }, [note])];
}
