/** The streams, read as the operator. */
import { jetstreamManager, type StoredMsg } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { natsAs } from "../../world/system/operator.ts";
import { type Service, services } from "../../../contracts/message.ts";
import { durableConsumers } from "../../../contracts/streams.ts";
import { patienceMs, until } from "../../stack/until.ts";
import type { World } from "../../world/world.ts";

export async function asOperator<T>(world: World, work: (nats: NatsConnection) => Promise<T>): Promise<T> {
  const nats = await natsAs(world, "operator");
  try {
    return await work(nats);
  } finally {
    await nats.close();
  }
}

/** All messages of a stream, oldest first. */
export async function messagesOf(nats: NatsConnection, stream: string): Promise<StoredMsg[]> {
  const { streams } = await jetstreamManager(nats, { timeout: patienceMs });
  const { state } = await streams.info(stream);
  const messages: StoredMsg[] = [];
  for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq += 1) {
    const message = await streams.getMessage(stream, { seq });
    if (message !== null) messages.push(message);
  }
  return messages;
}

/** Every dead letter with its reason. */
export function deadLetters(world: World): Promise<string[]> {
  return asOperator(world, async (nats) =>
    (await messagesOf(nats, "DLQ")).map((message) => `${message.subject}: ${message.string()}`),
  );
}

/** How many messages a service has not acknowledged yet. */
export async function backlog(nats: NatsConnection, service: Service): Promise<number> {
  const { consumers } = await jetstreamManager(nats, { timeout: patienceMs });
  const infos = await Promise.all(
    durableConsumers(service).map(({ stream, durable }) => consumers.info(stream, durable)),
  );
  return infos.reduce((sum, { num_pending, num_ack_pending }) => sum + num_pending + num_ack_pending, 0);
}

/** Waits until messages wait for a service and their number has not changed for `restMs`. */
export async function waitForBacklog(nats: NatsConnection, service: Service, restMs = 700): Promise<void> {
  let last = 0;
  let since = Date.now();
  await until(`a backlog of ${service}`, async () => {
    const now = await backlog(nats, service);
    if (now !== last) since = Date.now();
    last = now;
    return now > 0 && Date.now() - since >= restMs ? true : undefined;
  });
}

/** Waits until no service has unacknowledged messages. */
export async function waitForEmptyBacklogs(nats: NatsConnection): Promise<void> {
  await until("quiet streams", async () => {
    const backlogs = await Promise.all(services.map((service) => backlog(nats, service)));
    return backlogs.every((messages) => messages === 0) ? true : undefined;
  });
}
