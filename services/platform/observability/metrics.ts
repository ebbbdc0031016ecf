import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  type Metric,
  type MetricConfiguration,
  Registry,
} from "prom-client";

/**
 * The metrics of one process. Ours are named `quittance_…`, with seconds as the unit of time; Node's keep their names.
 */
export class Metrics {
  readonly registry = new Registry();

  constructor(service: string) {
    this.registry.setDefaultLabels({ service });
    // The default of 10 ms wakes an idle process a hundred times a second.
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: 100 });
  }

  counter<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> {
    return this.#once(name, (own) => new Counter({ ...own, help, labelNames }));
  }

  gauge<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Gauge<L> {
    return this.#once(name, (own) => new Gauge({ ...own, help, labelNames }));
  }

  histogram<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Histogram<L> {
    const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
    return this.#once(name, (own) => new Histogram({ ...own, help, labelNames, buckets }));
  }

  /** A second call for a name returns the same metric. */
  #once<M extends Metric>(
    shortName: string,
    create: (own: Pick<MetricConfiguration<string>, "name" | "registers">) => M,
  ): M {
    const name = `quittance_${shortName}`;
    const known = this.registry.getSingleMetric(name) as M | undefined;
    return known ?? create({ name, registers: [this.registry] });
  }
}
