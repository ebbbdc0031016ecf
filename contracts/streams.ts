import { type MessageType, type Service, services } from "./message.ts";
import { eventsOf, topology } from "./topology.ts";

const dayNanos = 24 * 3600 * 1e9;
const secondNanos = 1e9;

/**
 * The streams. CMD and EVT keep a message until every consumer has acknowledged it (interest). When full they refuse
 * new messages (`discard: new`), and the outbox waits: a full stream means a stalled consumer. DLQ keeps dead letters
 * for 30 days.
 */
export const streams = {
  CMD: { subjects: ["cmd.>"], retention: "interest", discard: "new", maxBytes: 1024 ** 3, maxAgeNanos: 0 },
  EVT: { subjects: ["evt.>"], retention: "interest", discard: "new", maxBytes: 1024 ** 3, maxAgeNanos: 0 },
  DLQ: {
    subjects: ["dlq.>"],
    retention: "limits",
    discard: "old",
    maxBytes: 1024 ** 3,
    maxAgeNanos: 30 * dayNanos,
  },
} as const;
export type StreamName = keyof typeof streams;

export function streamOf(type: MessageType): "CMD" | "EVT" {
  return type.kind === "command" ? "CMD" : "EVT";
}

/** The streams that a service publishes to or consumes from. */
export function streamsOf(service: Service): StreamName[] {
  const { sends, consumes } = topology[service];
  const used = [...eventsOf(service), ...sends, ...consumes].map(streamOf);
  return [...new Set<StreamName>([...used, ...(consumes.length > 0 ? ["DLQ" as const] : [])])];
}

export interface DurableConsumer {
  readonly stream: "CMD" | "EVT";
  readonly durable: Service;
  readonly filterSubjects: readonly string[];
  readonly ackWaitNanos: number;
  readonly maxAckPending: number;
}

/** One durable pull consumer per service and stream, filtered to the subjects that the service consumes. */
export function durableConsumers(service?: Service): DurableConsumer[] {
  return (service === undefined ? services : [service]).flatMap((name) =>
    (["CMD", "EVT"] as const).flatMap((stream) => {
      const types = topology[name].consumes.filter((type) => streamOf(type) === stream);
      if (types.length === 0) return [];
      return [
        {
          stream,
          durable: name,
          filterSubjects: types.map((type) => `${type.subject}.*`),
          // Short, and extended by working(): after a kill, the messages in flight are redelivered this much later.
          ackWaitNanos: 6 * secondNanos,
          maxAckPending: 5_000,
        },
      ];
    }),
  );
}
