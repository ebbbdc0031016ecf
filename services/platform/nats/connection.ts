import { connect, headers, type MsgHdrs, type NatsConnection } from "@nats-io/transport-node";
import type { Service } from "../../../contracts/message.ts";

/** Connects as a user with an inbox of its own, and reconnects without limit. */
export function connectNats(config: {
  NATS_URL: string;
  NATS_USER: string;
  NATS_PASSWORD: string;
}): Promise<NatsConnection> {
  return connect({
    servers: config.NATS_URL.split(","),
    user: config.NATS_USER,
    pass: config.NATS_PASSWORD,
    name: config.NATS_USER,
    inboxPrefix: inboxPrefixOf(config.NATS_USER),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    waitOnFirstConnect: true,
    pingInterval: 10_000,
    // Otherwise every request creates two errors with stack traces in case it fails, which costs 27 µs.
    noAsyncTraces: true,
  });
}

/** What a service's account calls `$JS.API` of the account that holds the streams. */
export const streamsApi = "streams.api";

/** The prefix of the subjects on which a user receives replies. No other user may subscribe to it. */
export function inboxPrefixOf(user: Service | string): string {
  return `_INBOX_${user}`;
}

export function natsHeaders(pairs: Readonly<Record<string, string>>): MsgHdrs {
  const made = headers();
  for (const [name, value] of Object.entries(pairs)) made.set(name, value);
  return made;
}
