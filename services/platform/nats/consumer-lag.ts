import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { Logger } from "pino";
import type { Service } from "../../../contracts/message.ts";
import { durableConsumers } from "../../../contracts/streams.ts";
import { failedTicksOf } from "../observability/failed-ticks.ts";
import type { Metrics } from "../observability/metrics.ts";
import { PollingWorker } from "../runtime/polling-worker.ts";
import { streamsApi } from "./connection.ts";
import { unlessMissing } from "./provision.ts";

const intervalMs = 15_000;

/**
 * Measures what each durable consumer of a service has still to acknowledge: what it was not sent (`num_pending`), and
 * what it was sent. A consumer that stands still with little in hand shows only in the second. Instances agree.
 */
export class ConsumerLag extends PollingWorker {
  constructor(service: Service, nats: NatsConnection, metrics: Metrics, log: Logger) {
    const gauge = metrics.gauge(
      "consumer_lag_envelopes",
      "Envelopes in a stream that the service's consumer has not acknowledged",
      ["stream"],
    );
    const tick = async () => {
      const { consumers } = await jetstreamManager(nats, { checkAPI: false, apiPrefix: streamsApi });
      for (const { stream, durable } of durableConsumers(service)) {
        const info = await consumers.info(stream, durable).catch(unlessMissing);
        // The service is not ready then. An old number would say that its messages are stored.
        if (info === undefined) gauge.remove({ stream });
        else gauge.set({ stream }, info.num_pending + info.num_ack_pending);
      }
      return 0;
    };
    super("consumer-lag", intervalMs, tick, log, failedTicksOf(metrics));
  }
}
