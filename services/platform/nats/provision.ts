import {
  AckPolicy,
  type ConsumerConfig,
  DeliverPolicy,
  DiscardPolicy,
  jetstreamManager,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
} from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { type DurableConsumer, durableConsumers, streams } from "../../../contracts/streams.ts";

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

/** Creates a consumer, or updates an existing one. */
export async function provisionConsumer(manager: JetStreamManager, consumer: DurableConsumer): Promise<void> {
  const known = await manager.consumers.info(consumer.stream, consumer.durable).catch(() => undefined); // not found: created
  if (known === undefined) await manager.consumers.add(consumer.stream, consumerConfig(consumer));
  else await manager.consumers.update(consumer.stream, consumer.durable, consumerConfig(consumer));
}

/**
 * Creates or updates every stream and consumer. Run as the operator before any publisher starts: with interest
 * retention a message without a consumer is deleted at once.
 */
export async function provisionStreams(nats: NatsConnection, replicas: 1 | 3): Promise<void> {
  const manager = await jetstreamManager(nats);
  for (const [name, stream] of Object.entries(streams)) {
    const config = {
      name,
      subjects: [...stream.subjects],
      retention: stream.retention === "interest" ? RetentionPolicy.Interest : RetentionPolicy.Limits,
      discard: stream.discard === "new" ? DiscardPolicy.New : DiscardPolicy.Old,
      max_bytes: stream.maxBytes,
      max_age: stream.maxAgeNanos,
      storage: StorageType.File,
      num_replicas: replicas,
    };
    const known = await manager.streams.info(name).catch(() => undefined); // not found: created below
    if (known === undefined) await manager.streams.add(config);
    else await manager.streams.update(name, config);
  }
  for (const consumer of durableConsumers()) await provisionConsumer(manager, consumer);
}
