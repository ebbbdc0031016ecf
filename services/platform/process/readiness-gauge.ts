import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { failedTicksOf } from "../observability/failed-ticks.ts";
import type { Metrics } from "../observability/metrics.ts";
import { PollingWorker } from "../runtime/polling-worker.ts";
import type { Readiness } from "./readiness.ts";

const intervalMs = 15_000;
/** A database whose host is gone answers nothing for more than a minute. */
const answerWithinMs = 5_000;

/** Measures what `/readyz` answers: an orchestrator that asks there wakes nobody. */
export class ReadinessGauge extends PollingWorker {
  constructor(
    readiness: Pick<Readiness, "missing">,
    metrics: Metrics,
    log: Logger,
    withinMs = answerWithinMs,
  ) {
    const ready = metrics.gauge("ready", "1 while the instance is ready, else 0");
    const missing = metrics.gauge(
      "missing_parts",
      "1 for each part without which the instance is not ready",
      ["part"],
    );
    const tick = async () => {
      const parts = await Promise.race([
        readiness.missing(),
        delay(withinMs, ["an answer in time"], { ref: false }),
      ]);
      ready.set(parts.length === 0 ? 1 : 0);
      missing.reset();
      for (const part of parts) missing.set({ part }, 1);
      return 0;
    };
    super("readiness", intervalMs, tick, log, failedTicksOf(metrics));
  }
}
