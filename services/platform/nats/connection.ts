import {
  connect,
  headers,
  type MsgHdrs,
  type NatsConnection,
  type NodeConnectionOptions,
} from "@nats-io/transport-node";
import type { Service } from "../../../contracts/message.ts";

export interface NatsSettings {
  readonly NATS_URL: string;
  readonly NATS_USER: string;
  readonly NATS_PASSWORD: string;
}

/**
 * Connects as a user with an inbox of its own. Waits for the server, and reconnects without limit, unless the server
 * refuses the log-in twice: then the connection is closed for good.
 */
export function connectNats(config: NatsSettings): Promise<NatsConnection> {
  return connect(optionsOf(config));
}

const reconnectMs = 250;

/** The same for a command that somebody waits for: rejects if the server can't be reached within this time. */
export function connectNatsWithin(giveUpAfterMs: number, config: NatsSettings): Promise<NatsConnection> {
  return connect({
    ...optionsOf(config),
    waitOnFirstConnect: false,
    timeout: giveUpAfterMs,
    maxReconnectAttempts: Math.ceil(giveUpAfterMs / reconnectMs),
  });
}

/** Servers' addresses without the names and passwords that may stand in them. */
export const withoutCredentials = (urls: string): string => urls.replace(/[^/,]*@/g, "");

function optionsOf(config: NatsSettings): NodeConnectionOptions {
  return {
    servers: config.NATS_URL.split(","),
    user: config.NATS_USER,
    pass: config.NATS_PASSWORD,
    name: config.NATS_USER,
    inboxPrefix: inboxPrefixOf(config.NATS_USER),
    maxReconnectAttempts: -1,
    reconnectTimeWait: reconnectMs,
    waitOnFirstConnect: true,
    pingInterval: 10_000,
    // Otherwise every request creates two errors with stack traces in case it fails, which costs 27 µs.
    noAsyncTraces: true,
  };
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

/** Calls these each time the connection is lost, and each time it is there again. Starts with the next change. */
export async function watchConnection(
  nats: NatsConnection,
  on: { readonly lost?: () => void; readonly regained: () => void },
): Promise<void> {
  for await (const { type } of nats.status()) {
    if (type === "disconnect") on.lost?.();
    if (type === "reconnect") on.regained();
  }
}
