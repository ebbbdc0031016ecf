import type { BeforeApplicationShutdown } from "@nestjs/common";
import type { NatsConnection } from "@nats-io/transport-node";
import type { Logger } from "pino";
import { messageStreams, streamOf } from "../../../contracts/streams.ts";
import { type BookId, idOf, uuidOf } from "../../../contracts/ids/ids.ts";
import { failedTicksOf } from "../observability/failed-ticks.ts";
import type { Metrics } from "../observability/metrics.ts";
import { watchConnection } from "../nats/connection.ts";
import type { Database } from "../persistence/database.ts";
import { FailingBooks } from "../failing-books.ts";
import { mayConcernOneBook } from "../persistence/infrastructure-fault.ts";
import { limitToOneBook } from "../persistence/session-limits.ts";
import type { Sql } from "../persistence/sql.ts";
import { PollingWorker } from "../runtime/polling-worker.ts";
import type { OutboxRow } from "./outbox.ts";
import { countOf, isNotification, Publisher } from "./publisher.ts";
import { uuidArray } from "../persistence/uuid-array.ts";

const maxMessagesInFlight = 5_000;
const markBatchRows = 2_000;
/** Rarely, because a mark costs a commit; well below `overdueMs`, because the poller publishes what is not marked. */
const markIntervalMs = 500;
/** So old is a row that the poller publishes. */
const overdueMs = 2_000;
const pollIntervalMs = 1_000;
/** For each stream. A row holds at most 100 messages, so a tick of the poller publishes at most 25,000 to a stream. */
const claimBatchRows = 250;
/** For a full stream: one row shows whether it takes messages again. */
const probeRows = 1;

/** The first tokens of the streams' subjects, as in the index `outbox_unpublished`. */
const prefixes = messageStreams.map((stream) => stream.toLowerCase());

const bookOf = ({ book }: OutboxRow): BookId => idOf("book", book);

/** The messages that are being published, of the stream NTF and of the others. */
interface InFlight {
  notifications: number;
  others: number;
}

/**
 * Publishes the outbox to JetStream. The instance that committed publishes its rows from memory after the commit,
 * and marks them a moment later. Once a second, the poller publishes the rows that are older than two seconds, whoever
 * wrote them: rows of a killed process, and rows that could not be published while NATS was unavailable or their stream
 * was full. Each stream is polled on its own, so a full one does not delay the others. A book whose rows can't be
 * marked is left out for a while: otherwise the rows of all books would be published again and again.
 */
export class Relay implements BeforeApplicationShutdown {
  readonly #database: Database;
  readonly #nats: NatsConnection;
  readonly #publisher: Publisher;
  readonly #log: Logger;
  readonly #poller: PollingWorker;
  readonly #marker: PollingWorker;
  readonly #failing: FailingBooks;
  readonly #inFlight: InFlight = { notifications: 0, others: 0 };
  #toMark: OutboxRow[] = [];
  readonly #publishing = new Set<Promise<void>>();
  readonly #age;
  #connected = true;

  constructor(database: Database, nats: NatsConnection, metrics: Metrics, log: Logger) {
    this.#database = database;
    this.#nats = nats;
    this.#publisher = new Publisher(nats, metrics, log);
    this.#log = log;
    this.#failing = new FailingBooks("outbox", { metrics, log });
    const failed = failedTicksOf(metrics);
    this.#poller = new PollingWorker("outbox-poller", pollIntervalMs, () => this.#poll(), log, failed);
    this.#marker = new PollingWorker("outbox-marker", markIntervalMs, () => this.#mark(), log, failed);
    this.#age = metrics.gauge("outbox_oldest_seconds", "Age of the oldest unpublished message", ["stream"]);
  }

  start(): void {
    void watchConnection(this.#nats, {
      lost: () => {
        this.#connected = false;
      },
      regained: () => {
        this.#connected = true;
        this.#poller.wake();
      },
    });
    this.#poller.start();
    this.#marker.start();
  }

  /** Called by Nest after every polling worker has stopped and before the database closes. */
  beforeApplicationShutdown(): Promise<void> {
    return this.stop();
  }

  /**
   * Stops both workers, after marking what was published, so that the next start publishes nothing twice. Rows that
   * can't be marked now are published again. Never throws.
   */
  async stop(): Promise<void> {
    await this.#poller.stop();
    await Promise.all(this.#publishing);
    await this.#marker.stop();
    try {
      while (this.#toMark.length > 0) await this.#mark();
    } catch (error) {
      const unmarked = this.#toMark.length;
      this.#log.error({ err: error, unmarked }, "published rows were not marked: they are published again");
    }
  }

  /**
   * Publishes rows that have just been committed: notifications within 60 ms, the others at once. Neither waits for the
   * other. Never throws: the poller publishes the rows that fail here.
   */
  publishCommitted(committed: readonly OutboxRow[]): void {
    if (!this.#connected) return;
    const rows = this.#publisher.withoutFullStreams(committed);
    const notifications = rows.filter(isNotification);
    const others = rows.filter((row) => !isNotification(row));
    this.#publish(others, "others", () => this.#publisher.publish(others, "immediate"));
    this.#publish(notifications, "notifications", () => this.#publisher.publishTogether(notifications));
  }

  #publish(
    rows: readonly OutboxRow[],
    kind: keyof InFlight,
    publish: () => Promise<readonly OutboxRow[]>,
  ): void {
    const messages = countOf(rows);
    // Above this limit publishing is too slow, so the poller publishes the rows and memory stays bounded.
    if (messages === 0 || this.#inFlight[kind] + messages > maxMessagesInFlight) return;
    this.#inFlight[kind] += messages;
    const publishing = publish()
      .then((published) => {
        this.#toMark.push(...published);
        if (this.#toMark.length >= markBatchRows) this.#marker.wake();
      })
      .catch((error: unknown) =>
        this.#log.error(
          { err: error },
          "publishing after the commit failed; the poller will publish the rows",
        ),
      )
      .finally(() => {
        this.#inFlight[kind] -= messages;
        this.#publishing.delete(publishing);
      });
    this.#publishing.add(publishing);
  }

  async #mark(): Promise<number> {
    const rows = this.#toMark.splice(0, markBatchRows);
    if (rows.length === 0) return 0;
    try {
      await this.#markOrLeave(
        () => rows,
        () => markPublished(this.#database.sqlWithKeptPlan, rows),
      );
    } catch (error) {
      this.#toMark.unshift(...rows); // already published: mark them when the database is back
      throw error;
    }
    return this.#toMark.length >= markBatchRows ? this.#toMark.length : 0;
  }

  /** Marks published rows with `mark` or, if that fails, each book's alone. The poller retries those that fail then. */
  async #markOrLeave(published: () => readonly OutboxRow[], mark: () => Promise<void>): Promise<void> {
    try {
      await mark();
    } catch (error) {
      const rows = published();
      if (rows.length === 0 || !mayConcernOneBook(error)) throw error;
      for (const [book, own] of Map.groupBy(rows, bookOf)) {
        await this.#failing.attempt(book, new Date(), () =>
          this.#database.transaction(async ({ sql }) => {
            await limitToOneBook(sql);
            await markPublished(sql, own);
          }),
        );
      }
    }
  }

  async #poll(): Promise<number> {
    const oldestMs = await this.#measureAge();
    if (!this.#connected || oldestMs < overdueMs) return 0;
    const now = new Date();
    const waiting = this.#failing.waiting(now);
    let published: readonly OutboxRow[] = [];
    const publishDue = async ({ sql }: { readonly sql: Sql }) => {
      // skip locked: several instances share the backlog; the row lock lasts until the mark below commits.
      const rows = await sql<OutboxRow>(
        `select r.*
         from unnest($1::text[], $2::int[]) as s (prefix, max_rows)
         cross join lateral (
           select day::text as day, message_id as "messageId", book_id as book, subject, message as messages,
             message_count as count
           from outbox
           where published_at is null
             and left(subject, 3) = s.prefix
             and book_id <> all ($3::uuid[])
             and created_at < clock_timestamp() - $4::int * interval '1 millisecond'
           order by created_at
           limit s.max_rows
           for update skip locked
         ) r`,
        [
          prefixes,
          messageStreams.map((stream) => (this.#publisher.isFull(stream) ? probeRows : claimBatchRows)),
          uuidArray(waiting.map(uuidOf)),
          overdueMs,
        ],
      );
      published = await this.#publisher.publish(rows, "poller");
      if (published.length > 0) await markPublished(sql, published);
    };
    await this.#markOrLeave(
      () => published,
      () => this.#database.transaction(publishDue),
    );
    // A stalled stream acknowledges nothing: 0 makes the worker pause instead of spinning.
    return published.length;
  }

  /** Returns the age of the oldest unpublished row, in milliseconds. Its gauge is for autoscaling and alerts. */
  async #measureAge(): Promise<number> {
    const rows = await this.#database.sqlWithKeptPlan<{ prefix: string; seconds: number }>(
      `select s.prefix, coalesce(extract(epoch from clock_timestamp() - r.created_at), 0)::float8 as seconds
       from unnest($1::text[]) as s (prefix)
       left join lateral (
         select created_at
         from outbox
         where published_at is null and left(subject, 3) = s.prefix
         order by created_at
         limit 1
       ) r on true`,
      [prefixes],
    );
    for (const { prefix, seconds } of rows) this.#age.set({ stream: streamOf(prefix) }, seconds);
    return Math.max(...rows.map(({ seconds }) => seconds * 1_000));
  }
}

/**
 * One statement per day of the rows (at most two, around midnight), with the day as a constant. Joined with a list of
 * keys, the planner would read the whole of today's partition each time (19 ms instead of 5).
 */
async function markPublished(sql: Sql, rows: readonly OutboxRow[]): Promise<void> {
  for (const [day, own] of Map.groupBy(rows, (row) => row.day)) {
    await sql(
      `update outbox
       set published_at = clock_timestamp()
       where day = $1::date
         and message_id = any ($2::uuid[])`,
      [day, uuidArray(own.map((row) => row.messageId))],
    );
  }
}
