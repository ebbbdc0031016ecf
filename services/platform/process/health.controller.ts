import { Controller, Get, Header, HttpException, Inject } from "@nestjs/common";
import { Metrics } from "../observability/metrics.ts";
import { Readiness } from "./readiness.ts";

/** What an orchestrator asks. Liveness is the event loop only; readiness is the own database and NATS. */
@Controller()
export class HealthController {
  readonly #readiness: Readiness;
  readonly #metrics: Metrics;

  constructor(@Inject(Readiness) readiness: Readiness, @Inject(Metrics) metrics: Metrics) {
    this.#readiness = readiness;
    this.#metrics = metrics;
  }

  @Get("healthz")
  alive(): { status: string } {
    return { status: "alive" };
  }

  @Get("readyz")
  async ready(): Promise<{ status: string }> {
    const missing = await this.#readiness.missing();
    if (missing.length > 0) throw new HttpException({ status: "not ready", missing }, 503);
    return { status: "ready" };
  }

  @Get("metrics")
  @Header("content-type", "text/plain; version=0.0.4; charset=utf-8")
  metrics(): Promise<string> {
    return this.#metrics.registry.metrics();
  }
}
