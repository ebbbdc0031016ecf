import type { Logger } from "pino";
import type { BookId } from "../../../contracts/ids/ids.ts";
import type { Database } from "../persistence/database.ts";
import { PollingWorker } from "../runtime/polling-worker.ts";
import { readBooksWithClock } from "./book-clocks.ts";

const intervalMs = 1_000;

/**
 * The books that have a clock of their own, in memory: each message asks. An instance that did not set the clock knows
 * of it a second later. Until then an advance does not wait for that instance's messages of the book.
 */
export class BooksWithClock extends PollingWorker {
  readonly #database: Database;
  readonly #books = new Set<BookId>();

  constructor(database: Database, log: Logger, countFailedTick: (worker: string) => void) {
    super("books-with-clock", intervalMs, () => this.tick(), log, countFailedTick);
    this.#database = database;
  }

  has(book: BookId): boolean {
    return this.#books.has(book);
  }

  add(book: BookId): void {
    this.#books.add(book);
  }

  async tick(): Promise<number> {
    for (const book of await readBooksWithClock(this.#database.sql)) this.#books.add(book);
    return 0;
  }
}
