import { pino } from "pino";
import { afterEach, expect, it } from "vitest";
import { until } from "../../../test/stack/until.ts";
import { Metrics } from "../observability/metrics.ts";
import { ReadinessGauge } from "./readiness-gauge.ts";

const silent = pino({ level: "silent" });
let gauge: ReadinessGauge;
afterEach(() => gauge.stop());

/** Starts a gauge of a service that lacks these parts, and returns the lines of its metrics. */
function measures(missing: () => Promise<string[]>, withinMs?: number): () => Promise<string[]> {
  const metrics = new Metrics("ledger");
  gauge = new ReadinessGauge({ missing }, metrics, silent, withinMs);
  gauge.start();
  return async () =>
    (await metrics.registry.metrics())
      .split("\n")
      .filter((line) => /^quittance_(ready|missing_parts)/.test(line));
}

it("says that the instance is not ready, and what it lacks, until it is ready", async () => {
  let parts = ["database", "consumer ledger of CMD"];
  const lines = measures(() => Promise.resolve(parts));
  await until(async () => (await lines()).length === 3);
  expect(await lines()).toEqual([
    'quittance_ready{service="ledger"} 0',
    'quittance_missing_parts{part="database",service="ledger"} 1',
    'quittance_missing_parts{part="consumer ledger of CMD",service="ledger"} 1',
  ]);
  parts = [];
  gauge.wake();
  await until(async () => (await lines()).length === 1);
  expect(await lines()).toEqual(['quittance_ready{service="ledger"} 1']);
});

it("says that the instance is not ready while a part of it answers nothing", async () => {
  const lines = measures(() => new Promise(() => undefined), 20);
  await until(async () => (await lines()).length === 2);
  expect(await lines()).toEqual([
    'quittance_ready{service="ledger"} 0',
    'quittance_missing_parts{part="an answer in time",service="ledger"} 1',
  ]);
});
