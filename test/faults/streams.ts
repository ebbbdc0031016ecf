/** The streams as the operator sees them. */
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { natsAs } from "../world/operator.ts";
import { type Service, services } from "../../contracts/message.ts";
import { durableConsumers } from "../../contracts/streams.ts";
import { until } from "../world/until.ts";
import type { World } from "../world/world.ts";

export async function asOperator<T>(world: World, work: (nats: NatsConnection) => Promise<T>): Promise<T> {
  const nats = await natsAs(world, "operator");
  try {
    return await work(nats);
  } finally {
    await nats.close();
  }
}

/** Every dead letter there is, with its reason. */
export function deadLetters(world: World): Promise<string[]> {
  return asOperator(world, async (nats) => {
    const { streams } = await jetstreamManager(nats);
    const { state } = await streams.info("DLQ");
    const letters: string[] = [];
    for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
      const message = await streams.getMessage("DLQ", { seq });
      if (message !== null) letters.push(`${message.subject}: ${message.string()}`);
    }
    return letters;
  });
}

/** How many messages a service has not acknowledged yet. */
export async function backlog(nats: NatsConnection, service: Service): Promise<number> {
  const { consumers } = await jetstreamManager(nats);
  const infos = await Promise.all(
    durableConsumers(service).map(({ stream, durable }) => consumers.info(stream, durable)),
  );
  return infos.reduce((sum, { num_pending, num_ack_pending }) => sum + num_pending + num_ack_pending, 0);
}

/** Until nobody has anything left to take in. */
export async function quiet(nats: NatsConnection): Promise<void> {
  await until("quiet streams", async () => {
    const backlogs = await Promise.all(services.map((service) => backlog(nats, service)));
    return backlogs.every((messages) => messages === 0) ? true : undefined;
  });
}
