import { expect, it } from "vitest";
import { Metrics } from "./metrics.ts";

it("names our metrics quittance_…, and returns the same metric for the same name", async () => {
  const metrics = new Metrics("orders");
  metrics.counter("paid_total", "Payments", ["rail"]).inc({ rail: "Ach" });
  metrics.counter("paid_total", "Payments", ["rail"]).inc({ rail: "Ach" });
  metrics.gauge("waiting", "Waiting").set(3);
  expect(metrics.gauge("waiting", "Waiting")).toBe(metrics.gauge("waiting", "Waiting"));
  metrics.histogram("wait_seconds", "Waits", ["rail"]).observe({ rail: "Ach" }, 0.02);
  const lines = (await metrics.registry.metrics()).split("\n");
  expect(lines).toContain('quittance_paid_total{rail="Ach",service="orders"} 2');
  expect(lines).toContain('quittance_waiting{service="orders"} 3');
  expect(lines).toContain('quittance_wait_seconds_bucket{le="0.025",service="orders",rail="Ach"} 1');
});

it("keeps two services of one process apart", async () => {
  const [one, other] = [new Metrics("orders"), new Metrics("ledger")];
  one.counter("paid_total", "Payments").inc();
  expect(await other.registry.metrics()).not.toContain("paid_total");
});
