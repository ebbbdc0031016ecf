import type { NatsConnection } from "@nats-io/transport-node";
import type { Service } from "../../../contracts/message.ts";
import { durableConsumers, streamsOf } from "../../../contracts/streams.ts";
import { streamsApi } from "./connection.ts";

const deadlineMs = 1_000;

/** The streams and consumers of a service that do not exist: only an operator can make them again. */
export async function missingStreams(nats: NatsConnection, service: Service): Promise<string[]> {
  const wanted = [
    ...streamsOf(service).map((stream) => ({ name: `stream ${stream}`, api: `STREAM.INFO.${stream}` })),
    ...durableConsumers(service).map(({ stream, durable }) => ({
      name: `consumer ${durable} of ${stream}`,
      api: `CONSUMER.INFO.${stream}.${durable}`,
    })),
  ];
  const found = await Promise.all(wanted.map(({ api }) => exists(nats, api)));
  return wanted.flatMap(({ name }, index) => (found[index] === true ? [] : [name]));
}

async function exists(nats: NatsConnection, api: string): Promise<boolean> {
  try {
    const answer = await nats.request(`${streamsApi}.${api}`, "", { timeout: deadlineMs });
    return answer.json<{ error?: unknown }>().error === undefined;
  } catch {
    return false; // no answer: nothing can be published or pulled either
  }
}
