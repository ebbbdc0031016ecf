import type { Logger } from "pino";
import { PollingWorker } from "../runtime/polling-worker.ts";
import type { Database } from "./database.ts";

const hourMs = 3_600_000;
const inboxKeptDays = 8;
const rowsPerDelete = 10_000;

/**
 * Keeps the tables of the backbone small: makes and drops the outbox's daily partitions, and lets go of inbox rows
 * after 8 days and of Idempotency-Keys after their time. Every instance does so; the second one finds it done.
 */
export class Housekeeping {
  readonly #database: Database;
  readonly #keysKeptDays: number | null;
  readonly #loop: PollingWorker;

  /** `keysKeptDays`: null for a service whose keys never expire. */
  constructor(database: Database, keysKeptDays: number | null, log: Logger) {
    this.#database = database;
    this.#keysKeptDays = keysKeptDays;
    this.#loop = new PollingWorker("housekeeping", hourMs, () => this.keepHouse(), log);
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** One round. Answers 0: the next is in an hour. */
  async keepHouse(): Promise<number> {
    const { sql } = this.#database;
    await sql("select maintain_outbox()");
    await this.#deleteInParts("inbox where message_id < $1::uuid", uuidv7Before(inboxKeptDays), "message_id");
    if (this.#keysKeptDays !== null) {
      const before = new Date(Date.now() - this.#keysKeptDays * 24 * hourMs);
      await this.#deleteInParts("idempotency where created_at < $1::timestamptz", before, "book_id, key");
    }
    return 0;
  }

  /** A delete of millions of rows would hold its snapshot for as long. */
  async #deleteInParts(fromWhere: string, bound: string | Date, key: string): Promise<void> {
    const [table = ""] = fromWhere.split(" ");
    for (;;) {
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

/** Message ids are UUIDv7, so that the old ones are the low ones; others (replayed by hand) go by the same rule. */
function uuidv7Before(days: number): string {
  const then = (Date.now() - days * 24 * hourMs).toString(16).padStart(12, "0");
  return `${then.slice(0, 8)}-${then.slice(8)}-7000-8000-000000000000`;
}
