import { jetstream, JetStreamApiError, type JetStreamClient } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { Logger } from "pino";
import { type MessageStream, streamOf } from "../../../contracts/streams.ts";
import type { Metrics } from "../observability/metrics.ts";
import { MicroBatch } from "../runtime/micro-batch.ts";
import type { OutboxRow } from "./outbox.ts";
import { pack } from "./pack.ts";

/** JetStream's error codes: the stream stores no more ("maximum bytes exceeded"), and the server's storage is full. */
const fullStreamCodes = new Set([10_077, 10_047]);
const publishTimeoutMs = 5_000;
/**
 * Under load the gateway sends creates every 60 ms, so more messages would only cost CPU. A lone order has fewer
 * commits than `burst`, so its notifications wait for nothing. Any number of batches may be under way: one that gets no
 * answer delays no other.
 */
const notificationBatches = { maxItems: 100, maxInFlight: Infinity, minIntervalMs: 60, burst: 4 };

/** True for the messages of NTF: webhooks alone consumes them, so no money waits for them. */
export const isNotification = ({ subject }: OutboxRow): boolean => streamOf(subject) === "NTF";

/** The number of messages in these rows. */
export const countOf = (rows: readonly OutboxRow[]): number =>
  rows.reduce((sum, { count }) => sum + count, 0);

/** Publishes rows of the outbox to JetStream, and knows which streams are full. */
export class Publisher {
  readonly #js: JetStreamClient;
  readonly #log: Logger;
  readonly #published;
  readonly #fullStreams = new Set<MessageStream>();
  readonly #notifications = new MicroBatch<readonly OutboxRow[], readonly OutboxRow[]>(
    (commits) => this.#publishNotifications(commits),
    notificationBatches,
  );

  constructor(nats: NatsConnection, metrics: Metrics, log: Logger) {
    this.#js = jetstream(nats, { timeout: publishTimeoutMs });
    this.#log = log;
    this.#published = metrics.counter("outbox_published_total", "Messages published", ["path"]);
  }

  /** True from the first message that the stream refused until it takes one again. */
  isFull(stream: MessageStream): boolean {
    return this.#fullStreams.has(stream);
  }

  withoutFullStreams(rows: readonly OutboxRow[]): readonly OutboxRow[] {
    return this.#fullStreams.size === 0
      ? rows
      : rows.filter(({ subject }) => !this.isFull(streamOf(subject)));
  }

  /** Publishes notifications of one commit together with those of the commits that follow. */
  publishTogether(notifications: readonly OutboxRow[]): Promise<readonly OutboxRow[]> {
    return this.#notifications.add(notifications);
  }

  async #publishNotifications(commits: readonly (readonly OutboxRow[])[]): Promise<OutboxRow[][]> {
    const published = new Set(await this.publish(commits.flat(), "immediate"));
    return commits.map((rows) => rows.filter((row) => published.has(row)));
  }

  /** Publishes in parallel and returns the rows that the stream acknowledged. */
  async publish(rows: readonly OutboxRow[], path: "immediate" | "poller"): Promise<OutboxRow[]> {
    const envelopes = pack(rows, ({ subject }) => subject);
    const results = await Promise.allSettled(
      envelopes.map(({ first, messages }) => this.#js.publish(first.subject, `{"messages":[${messages}]}`)),
    );
    const published: OutboxRow[] = [];
    for (const [index, { first, parts }] of envelopes.entries()) {
      const result = results[index];
      if (result?.status === "fulfilled") {
        published.push(...parts);
        this.#noteRoom(streamOf(first.subject));
      } else if (isFullStream(result?.reason)) {
        this.#noteFull(streamOf(first.subject));
      } else {
        this.#log.warn({ err: result?.reason, subject: first.subject }, "a publish was not acknowledged");
      }
    }
    this.#published.inc({ path }, countOf(published));
    return published;
  }

  #noteFull(stream: MessageStream): void {
    if (this.#fullStreams.has(stream)) return;
    this.#fullStreams.add(stream);
    this.#log.error(
      { stream },
      "the stream is full: its messages wait in the outbox until its consumers go on",
    );
  }

  #noteRoom(stream: MessageStream): void {
    if (this.#fullStreams.delete(stream)) this.#log.warn({ stream }, "the stream takes messages again");
  }
}

function isFullStream(error: unknown): boolean {
  return error instanceof JetStreamApiError && fullStreamCodes.has(error.code);
}
