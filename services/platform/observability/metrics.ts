import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

/** One process's metrics; asking twice for a name gives the same instrument. */
export class Metrics {
  readonly registry = new Registry();

  constructor(service: string) {
    this.registry.setDefaultLabels({ service });
    collectDefaultMetrics({ register: this.registry });
  }

  counter<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> {
    const known = this.registry.getSingleMetric(name);
    return (
      (known as Counter<L> | undefined) ?? new Counter({ name, help, labelNames, registers: [this.registry] })
    );
  }

  gauge<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Gauge<L> {
    const known = this.registry.getSingleMetric(name);
    return (
      (known as Gauge<L> | undefined) ?? new Gauge({ name, help, labelNames, registers: [this.registry] })
    );
  }

  /** Seconds, as Prometheus wants them. */
  histogram<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Histogram<L> {
    const known = this.registry.getSingleMetric(name);
    return (
      (known as Histogram<L> | undefined) ??
      new Histogram({
        name,
        help,
        labelNames,
        buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
        registers: [this.registry],
      })
    );
  }
}
