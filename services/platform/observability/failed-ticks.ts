import type { Metrics } from "./metrics.ts";

/** Counts the ticks of workers that fail: as a whole, or for one book. */
export function failedTicksOf(metrics: Metrics): (worker: string) => void {
  const failed = metrics.counter(
    "worker_failed_ticks_total",
    "Ticks of a worker that failed, as a whole or for one book",
    ["worker"],
  );
  return (worker) => failed.inc({ worker });
}
