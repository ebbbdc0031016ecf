import type { KeyObject } from "node:crypto";
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
  /** Known to this service's instances alone: nobody else can compute the ids of its dead letters. */
  readonly deadLetterKey: KeyObject;
  readonly types: readonly MessageType[];
  /** The least time between the starts of two batches, in milliseconds. */
  readonly batchIntervalMs: number;
  /** Applies messages in one transaction; a throw rolls all of it back. */
  readonly apply: (messages: readonly AnyMessage[], options: ApplyOptions) => Promise<void>;
}

export interface ApplyOptions {
  /** True for a message that may have been handled before: the inbox knows. */
  readonly mayRepeat: (message: AnyMessage) => boolean;
  /** Runs first, in the same transaction. */
  readonly first?: (sql: Sql) => Promise<void>;
}

/** The names of those that are an `overtakingEvent`. */
export function overtakingTypes(types: readonly MessageType[]): ReadonlySet<string> {
  const overtaking = types.filter((type) => type.kind === "event" && type.overtakes === true);
  return new Set(overtaking.map(({ type }) => type));
}
