import type { Logger } from "pino";
import { PollingWorker } from "../runtime/polling-worker.ts";
import type { Database } from "./database.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const inboxTtlDays = 8;
const keyTtlDays = 30;
const rowsPerDelete = 10_000;

/**
 * Keeps the platform's tables small: creates and drops the outbox's daily partitions, deletes inbox rows after 8 days,
 * unconfirmed messages after one and Idempotency-Keys after 30. Keys of payment orders stay: only the key stops a
 * second payment. Every instance runs it; the second one finds nothing to delete.
 */
export class Housekeeping extends PollingWorker {
  readonly #database: Database;
  readonly #log: Logger;
  /** False until the first maintenance of the outbox: until then, the partition of today may be missing. */
  #hasToday = false;

  constructor(database: Database, log: Logger, countFailedTick: (worker: string) => void) {
    const intervalMs = () => (this.#hasToday ? hourMs : minuteMs);
    super("housekeeping", intervalMs, (signal) => this.tick(signal), log, countFailedTick);
    this.#database = database;
    this.#log = log;
  }

  /**
   * Creates the outbox's partition of today before anything is written to it: after a week in which no instance ran, it
   * is missing. Never throws: a service starts without its database too, and the ticks repeat this.
   */
  async prepareOutbox(): Promise<void> {
    try {
      await this.#maintainOutbox();
    } catch (error) {
      this.#log.error({ err: error }, "the outbox may lack the partition of today; the next tick creates it");
    }
  }

  async #maintainOutbox(): Promise<void> {
    await this.#database.sql("select maintain_outbox()");
    this.#hasToday = true;
  }

  /** Returns 0: the next tick comes after the interval. Once the signal aborts, it deletes no further batch. */
  async tick(signal?: AbortSignal): Promise<number> {
    await this.#maintainOutbox();
    await this.#deleteInBatches(
      "inbox where message_id < $1::uuid",
      uuidv7Before(inboxTtlDays),
      "message_id",
      signal,
    );
    // An advance of the clock confirms messages of the last minutes.
    await this.#deleteInBatches(
      "unconfirmed_message where message_id < $1::uuid",
      uuidv7Before(1),
      "book_id, message_id, consumer",
      signal,
    );
    await this.#deleteInBatches(
      "idempotency where resource <> 'payment-orders' and created_at < $1::timestamptz",
      new Date(Date.now() - keyTtlDays * 24 * hourMs),
      "book_id, key, resource",
      signal,
    );
    return 0;
  }

  /** In batches, because one delete of millions of rows would keep its snapshot open for as long as it runs. */
  async #deleteInBatches(
    fromWhere: string,
    bound: string | Date,
    key: string,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const [table = ""] = fromWhere.split(" ");
    while (signal?.aborted !== true) {
      const deleted = await this.#database.sql(
        `delete from ${table}
         where (${key}) in (select ${key} from ${fromWhere} limit ${String(rowsPerDelete)})
         returning 1`,
        [bound],
      );
      if (deleted.length < rowsPerDelete) return;
    }
  }
}

/**
 * Message ids are UUIDv7: older ids are lower. Ids that are not UUIDv7, of messages replayed by hand, are compared with
 * the same bound.
 */
function uuidv7Before(days: number): string {
  const then = (Date.now() - days * 24 * hourMs).toString(16).padStart(12, "0");
  return `${then.slice(0, 8)}-${then.slice(8)}-7000-8000-000000000000`;
}
