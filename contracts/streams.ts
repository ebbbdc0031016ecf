import { type Service, services } from "./message.ts";
import { eventsOf, topology } from "./topology.ts";

const dayNanos = 24 * 3600 * 1e9;
const secondNanos = 1e9;

export interface StreamSettings {
  readonly subjects: readonly string[];
  readonly retention: "interest" | "limits";
  readonly discard: "new" | "old";
  readonly maxBytes: number;
  readonly maxAgeNanos: number;
  /** How many of the newest messages of each subject are kept. */
  readonly maxMessagesPerSubject?: number;
  readonly maxMessageBytes?: number;
}

/** A message is at most a part of a bank statement, of 256 KiB; a dead letter adds its reason. */
export const maxDeadLetterBytes = 272 * 1024;

/**
 * The streams. CMD, EVT and NTF keep a message until every consumer has acknowledged it (interest). When full they
 * refuse new messages (`discard: new`), which wait in the outbox: a full stream means a stalled consumer. NTF has the
 * events that only webhooks consumes, so a webhooks that is down stops no money. DLQ keeps dead letters for 30 days.
 * Each consumer has a subject of its own there. All of them full are smaller than the stream, so that a consumer that
 * writes too many letters only loses its own oldest ones.
 */
export const streams = {
  CMD: { subjects: ["cmd.>"], retention: "interest", discard: "new", maxBytes: 1024 ** 3, maxAgeNanos: 0 },
  EVT: { subjects: ["evt.>"], retention: "interest", discard: "new", maxBytes: 1024 ** 3, maxAgeNanos: 0 },
  NTF: { subjects: ["ntf.>"], retention: "interest", discard: "new", maxBytes: 1024 ** 3, maxAgeNanos: 0 },
  DLQ: {
    subjects: ["dlq.>"],
    retention: "limits",
    discard: "old",
    maxBytes: 4 * 1024 ** 3,
    maxAgeNanos: 30 * dayNanos,
    maxMessagesPerSubject: 3_000,
    maxMessageBytes: maxDeadLetterBytes,
  },
} as const satisfies Record<string, StreamSettings>;
export type StreamName = keyof typeof streams;

/** The service that measures the stream DLQ for all. No money moves without the ledger, so it is missed first. */
export const measuresDeadLetters: Service = "ledger";

/** The streams that outboxes publish to. */
export const messageStreams = ["CMD", "EVT", "NTF"] as const;
export type MessageStream = (typeof messageStreams)[number];

/** The stream of a subject is its first token, in capitals. */
export function streamOf(subject: string): MessageStream {
  const [token = ""] = subject.split(".", 1);
  const stream = messageStreams.find((name) => name === token.toUpperCase());
  if (stream === undefined) throw new TypeError(`no stream carries ${subject}`);
  return stream;
}

/** The streams that a service publishes to. */
export function streamsPublishedBy(service: Service): MessageStream[] {
  const types = [...topology[service].sends, ...eventsOf(service)];
  return messageStreams.filter((stream) => types.some(({ subject }) => streamOf(subject) === stream));
}

/** The streams that a service publishes to or consumes from. */
export function streamsOf(service: Service): StreamName[] {
  const { sends, consumes } = topology[service];
  const used = [...eventsOf(service), ...sends, ...consumes].map(({ subject }) => streamOf(subject));
  return [...new Set<StreamName>([...used, ...(consumes.length > 0 ? ["DLQ" as const] : [])])];
}

export interface DurableConsumer {
  readonly stream: MessageStream;
  readonly durable: Service;
  readonly filterSubjects: readonly string[];
  readonly ackWaitNanos: number;
  readonly maxAckPending: number;
}

/** One durable pull consumer per service and stream, filtered to the subjects that the service consumes. */
export function durableConsumers(service?: Service): DurableConsumer[] {
  return (service === undefined ? services : [service]).flatMap((name) =>
    messageStreams.flatMap((stream) => {
      const types = topology[name].consumes.filter((type) => streamOf(type.subject) === stream);
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

const consumersByType = new Map<string, readonly Service[]>();
for (const service of services) {
  for (const { type } of topology[service].consumes) {
    consumersByType.set(type, [...(consumersByType.get(type) ?? []), service]);
  }
}

/** The services that consume messages of this type. */
export function consumersOf(type: string): readonly Service[] {
  return consumersByType.get(type) ?? [];
}
