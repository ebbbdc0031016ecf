/**
 * A nats-server of one test file with its streams, and services on it: as they run, beside a test that plays the
 * others.
 */
import { randomBytes } from "node:crypto";
import { jetstream, jetstreamManager, type JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { type AnyMessage, type Service, services } from "../../../contracts/message.ts";
import { connectNats } from "../../../services/platform/nats/connection.ts";
import { natsConfig } from "../../../services/platform/nats/nats-config.ts";
import { provisionStreams } from "../../../services/platform/nats/provision.ts";
import { patienceMs } from "../until.ts";
import { createTestBench } from "./local-servers.ts";

type User = Service | "operator";

/** A dead letter as the consumer writes it. */
export interface DeadLetter {
  readonly subject: string;
  readonly reason: string;
  readonly message: unknown;
}

export interface TestMessaging {
  /** The environment of a service on that database. */
  environment(service: Service, databaseUrl: string): Record<string, string>;
  /** A connection with that user's permissions; closed at the end. */
  connectAs(user: User): Promise<NatsConnection>;
  readonly manager: JetStreamManager;
  /** Publishes one envelope, unvalidated, and returns its sequence in the stream. */
  publish(subject: string, body: { messages: readonly unknown[] } | string): Promise<number>;
  /** All dead letters since the start. */
  readonly deadLetters: readonly DeadLetter[];
  /** Encrypts account numbers as the services do. */
  readonly encryptionKeys: string;
  close(): Promise<void>;
}

export async function startMessaging(): Promise<TestMessaging> {
  // Closes what is open by then if a later step fails.
  await using opened = new AsyncDisposableStack();
  const bench = await createTestBench();
  opened.defer(() => bench.close());
  const secret = randomBytes(12).toString("hex");
  const users = [...services, "operator" as const];
  const passwords = Object.fromEntries(users.map((user) => [user, secret])) as Record<User, string>;
  const nats = await bench.startNats(natsConfig(passwords));
  const connections: NatsConnection[] = [];
  opened.defer(async () => {
    await Promise.all(connections.map((connection) => connection.close()));
  });
  const connectAs = async (user: User) => {
    const connection = await connectNats({ NATS_URL: nats.url, NATS_USER: user, NATS_PASSWORD: secret });
    connections.push(connection);
    return connection;
  };
  const operator = await connectAs("operator");
  await provisionStreams(operator, 1);
  const deadLetters: DeadLetter[] = [];
  operator.subscribe("dlq.>", {
    callback: (_error, message) => {
      // A letter that a test writes itself may be no JSON.
      if (message.string().startsWith("{")) deadLetters.push(message.json<DeadLetter>());
    },
  });
  const numberLookupKey = randomBytes(32).toString("base64");
  const encryptionKeys = `k1:${randomBytes(32).toString("base64")}`;
  const manager = await jetstreamManager(operator, { timeout: patienceMs });
  const kept = opened.move();
  return {
    environment: (service, databaseUrl) => ({
      DATABASE_URL: databaseUrl,
      NATS_URL: nats.url,
      NATS_USER: service,
      NATS_PASSWORD: secret,
      PORT: "0",
      LOG_LEVEL: "silent",
      ENCRYPTION_KEYS: encryptionKeys,
      ...(service === "ledger" ? { NUMBER_LOOKUP_KEY: numberLookupKey } : {}),
    }),
    connectAs,
    manager,
    async publish(subject, body) {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      return (await jetstream(operator, { timeout: patienceMs }).publish(subject, text)).seq;
    },
    deadLetters,
    encryptionKeys: encryptionKeys,
    close: () => kept.disposeAsync(),
  };
}

/** Collects the messages that are published on a subject from now on. */
export function collectMessages(nats: NatsConnection, subject: string): AnyMessage[] {
  const messages: AnyMessage[] = [];
  nats.subscribe(subject, {
    callback: (_error, message) => void messages.push(...message.json<{ messages: AnyMessage[] }>().messages),
  });
  return messages;
}
