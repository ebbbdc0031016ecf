import { type Service, services } from "../../../contracts/message.ts";
import { durableConsumers, streams } from "../../../contracts/streams.ts";
import { eventsOf, topology } from "../../../contracts/topology.ts";
import { inboxPrefixOf } from "./connection.ts";

export interface NatsUser {
  readonly user: string;
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/**
 * What a service may publish and subscribe to, derived from the contracts; the server refuses everything else. A
 * service may reply only to a request that it received (`allow_responses`), so it can't write into another's inbox.
 */
export function permissionsOf(service: Service): NatsUser {
  const role = topology[service];
  const consumers = durableConsumers(service);
  return {
    user: service,
    publish: [
      ...eventsOf(service).map((type) => `${type.subject}.*`),
      `dlq.${service}.>`,
      ...role.sends.map((type) => `${type.subject}.*`),
      ...role.requests.map((type) => type.subject),
      "$JS.API.INFO",
      ...consumers.flatMap(({ stream, durable }) => [
        `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
        `$JS.API.CONSUMER.CREATE.${stream}.${durable}`,
        `$JS.API.CONSUMER.CREATE.${stream}.${durable}.>`,
        // The client's subject for a consumer with several filters.
        `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.${durable}`,
        `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`,
        `$JS.ACK.${stream}.${durable}.>`,
      ]),
    ],
    subscribe: [
      `${inboxPrefixOf(service)}.>`,
      `rpc.${service}.>`,
      ...role.ephemeral.map((type) => `${type.subject}.*`),
    ],
  };
}

const quoted = (subjects: readonly string[]) =>
  `[${subjects.map((subject) => JSON.stringify(subject)).join(", ")}]`;

/**
 * The nats-server configuration: a user per service with its permissions, an operator for provisioning and tools,
 * and JetStream that fsyncs before it acknowledges. Address, port and store directory come from the command line.
 */
export function natsConfig(passwords: Readonly<Record<Service | "operator", string>>): string {
  const users = services.map((service) => {
    const { publish, subscribe } = permissionsOf(service);
    const password = JSON.stringify(passwords[service]);
    return `    { user: ${service}, password: ${password}, permissions: { publish: ${quoted(publish)}, subscribe: ${quoted(subscribe)}, allow_responses: true } }`;
  });
  return [
    "max_payload: 1MB",
    `jetstream { sync_interval: always, max_file_store: ${String(
      Object.values(streams).reduce((sum, stream) => sum + stream.maxBytes, 0) * 2,
    )} }`,
    "authorization {",
    "  users: [",
    ...users,
    `    { user: operator, password: ${JSON.stringify(passwords.operator)} }`,
    "  ]",
    "}",
    "",
  ].join("\n");
}
