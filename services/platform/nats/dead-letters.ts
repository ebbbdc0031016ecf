import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { Logger } from "pino";
import { durableConsumers } from "../../../contracts/streams.ts";
import { failedTicksOf } from "../observability/failed-ticks.ts";
import type { Metrics } from "../observability/metrics.ts";
import { PollingWorker } from "../runtime/polling-worker.ts";
import { streamsApi } from "./connection.ts";

const intervalMs = 15_000;

/**
 * Measures how many letters of each consumer are in the stream DLQ: those that an operator has neither sent again nor
 * dropped. A counter of what was dead-lettered can't say that, and it begins anew with each process.
 */
export class DeadLetters extends PollingWorker {
  constructor(nats: NatsConnection, metrics: Metrics, log: Logger) {
    const gauge = metrics.gauge("dead_letters", "Dead letters that are stored, of each service's consumer", [
      "consumer",
      "stream",
    ]);
    const tick = async () => {
      const { streams } = await jetstreamManager(nats, { checkAPI: false, apiPrefix: streamsApi });
      const { state } = await streams.info("DLQ", { subjects_filter: "dlq.>" });
      for (const { durable: consumer, stream } of durableConsumers())
        gauge.set({ consumer, stream }, state.subjects?.[`dlq.${consumer}.${stream.toLowerCase()}`] ?? 0);
      return 0;
    };
    super("dead-letters", intervalMs, tick, log, failedTicksOf(metrics));
  }
}
