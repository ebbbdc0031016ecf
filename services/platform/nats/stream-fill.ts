import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { Logger } from "pino";
import type { Service } from "../../../contracts/message.ts";
import { measuresDeadLetters, type StreamName, streamsPublishedBy } from "../../../contracts/streams.ts";
import { failedTicksOf } from "../observability/failed-ticks.ts";
import type { Metrics } from "../observability/metrics.ts";
import { PollingWorker } from "../runtime/polling-worker.ts";
import { streamsApi } from "./connection.ts";

const intervalMs = 15_000;
/** docs/operate/alerts.md has the alert of the same level. */
const alarmAt = 0.6;

/**
 * Measures how full the streams are that a service publishes to: a full one takes nothing more, and its messages wait
 * in the outbox. One service measures the dead letters' too: when that is full, it loses the oldest. Any number of
 * instances may measure; they agree.
 */
export class StreamFill extends PollingWorker {
  constructor(service: Service, nats: NatsConnection, metrics: Metrics, log: Logger) {
    const gauge = metrics.gauge("stream_fill_ratio", "Bytes in a stream / the most it may hold", ["stream"]);
    const measured: StreamName[] = [
      ...streamsPublishedBy(service),
      ...(service === measuresDeadLetters ? (["DLQ"] as const) : []),
    ];
    const tick = async () => {
      const { streams } = await jetstreamManager(nats, { checkAPI: false, apiPrefix: streamsApi });
      for (const stream of measured) {
        const { state, config } = await streams.info(stream);
        const ratio = state.bytes / config.max_bytes;
        gauge.set({ stream }, ratio);
        if (ratio >= alarmAt)
          log.error({ stream, ratio }, "a stream fills up: look at the lag and the log of its consumers");
      }
      return 0;
    };
    super("stream-fill", intervalMs, tick, log, failedTicksOf(metrics));
  }
}
