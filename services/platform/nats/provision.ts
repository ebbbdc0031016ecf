import {
  AckPolicy,
  type ConsumerConfig,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  jetstreamManager,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import {
  type DurableConsumer,
  durableConsumers,
  type StreamName,
  streams,
  type StreamSettings,
} from "../../../contracts/streams.ts";

export function consumerConfig(consumer: DurableConsumer): ConsumerConfig {
  return {
    durable_name: consumer.durable,
    name: consumer.durable,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    filter_subjects: [...consumer.filterSubjects],
    ack_wait: consumer.ackWaitNanos,
    max_ack_pending: consumer.maxAckPending,
    max_deliver: -1,
  } as ConsumerConfig;
}

/**
 * Creates a consumer, or updates an existing one. Its filter only grows: an older version that starts beside a newer
 * one must not take away subjects, because with interest retention their messages would be deleted unread.
 * Returns whether it is new.
 */
export async function provisionConsumer(
  manager: JetStreamManager,
  consumer: DurableConsumer,
): Promise<boolean> {
  const known = await manager.consumers.info(consumer.stream, consumer.durable).catch(unlessMissing);
  if (known === undefined) {
    await manager.consumers.add(consumer.stream, consumerConfig(consumer));
    return true;
  }
  const { filter_subject, filter_subjects = filter_subject === undefined ? [] : [filter_subject] } =
    known.config;
  const filterSubjects = [...new Set([...consumer.filterSubjects, ...filter_subjects])];
  await manager.consumers.update(
    consumer.stream,
    consumer.durable,
    consumerConfig({ ...consumer, filterSubjects }),
  );
  return false;
}

export interface Provisioned {
  /** The names of the streams and consumers that were missing. */
  readonly created: readonly string[];
  readonly replicas: Readonly<Record<string, Replicas>>;
}

/** A single server accepts any number and has one replica. A cluster makes new ones a moment later. */
interface Replicas {
  readonly configured: number;
  readonly inPlace: number;
}

/**
 * Creates or updates every stream and consumer. Run as the operator before any publisher starts: with interest
 * retention a message without a consumer is deleted at once.
 */
export async function provisionStreams(nats: NatsConnection, wanted?: number): Promise<Provisioned> {
  const manager = await jetstreamManager(nats, { timeout: provisionTimeoutMs });
  const created: string[] = [];
  const replicas: Record<string, Replicas> = {};
  for (const name of Object.keys(streams) as StreamName[]) {
    const known = await manager.streams.info(name).catch(unlessMissing);
    const config = streamConfig(name, known?.config, wanted);
    const stored = await (known === undefined
      ? manager.streams.add(config)
      : manager.streams.update(name, config));
    if (known === undefined) created.push(`stream ${name}`);
    const inPlace = 1 + (stored.cluster?.replicas?.length ?? 0);
    replicas[name] = { configured: stored.config.num_replicas, inPlace };
  }
  for (const consumer of durableConsumers()) {
    if (await provisionConsumer(manager, consumer))
      created.push(`consumer ${consumer.durable} of ${consumer.stream}`);
  }
  return { created, replicas };
}

/** A stream keeps the replicas that it has, unless others are asked for. */
export function streamConfig(
  name: StreamName,
  known?: Pick<StreamConfig, "num_replicas">,
  replicas?: number,
) {
  const stream: StreamSettings = streams[name];
  return {
    name,
    subjects: [...stream.subjects],
    retention: stream.retention === "interest" ? RetentionPolicy.Interest : RetentionPolicy.Limits,
    discard: stream.discard === "new" ? DiscardPolicy.New : DiscardPolicy.Old,
    max_bytes: stream.maxBytes,
    max_age: stream.maxAgeNanos,
    max_msgs_per_subject: stream.maxMessagesPerSubject ?? -1,
    max_msg_size: stream.maxMessageBytes ?? -1,
    storage: StorageType.File,
    num_replicas: replicas ?? known?.num_replicas ?? 1,
  };
}

/** Making a stream writes to the disk, which can be slow, and nothing runs without all of them. */
const provisionTimeoutMs = 30_000;

const streamNotFound = 10_059;
const consumerNotFound = 10_014;

/** Only what does not exist is undefined: any other failure, such as a time-out, is thrown again. */
export function unlessMissing(error: unknown): undefined {
  const code = error instanceof JetStreamApiError ? error.apiError().err_code : undefined;
  if (code !== streamNotFound && code !== consumerNotFound) throw error;
}
