import type { NatsConnection } from "@nats-io/transport-node";
import type { Logger } from "pino";
import type { AnyMessage, MessageType } from "../../../contracts/message.ts";
import type { DurableConsumer } from "../../../contracts/streams.ts";
import type { Metrics } from "../observability/metrics.ts";
import type { Database } from "../persistence/database.ts";
import type { Sql } from "../persistence/sql.ts";

export interface ConsumerParts {
  readonly nats: NatsConnection;
  readonly database: Database;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly config: DurableConsumer;
  readonly types: readonly MessageType[];
  /** The least time between the starts of two batches, in milliseconds. */
  readonly batchIntervalMs: number;
  /** Applies messages in one transaction, after `first`; a throw of either rolls all of it back. */
  readonly apply: (messages: readonly AnyMessage[], first?: (sql: Sql) => Promise<void>) => Promise<void>;
}
