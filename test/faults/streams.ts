/** The streams as the operator sees them. */
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { connectNats } from "../../services/platform/messaging/connection.ts";
import type { World } from "../world/world.ts";

export function connectOperator(world: World): Promise<NatsConnection> {
  const { natsUrl, secrets } = world.system;
  return connectNats({ NATS_URL: natsUrl, NATS_USER: "operator", NATS_PASSWORD: secrets.natsPasswords.operator });
}

export async function asOperator<T>(world: World, work: (nats: NatsConnection) => Promise<T>): Promise<T> {
  const nats = await connectOperator(world);
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
