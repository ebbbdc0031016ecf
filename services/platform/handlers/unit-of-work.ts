import type { BookId } from "../../../contracts/ids/ids.ts";
import { type Database, DeadlinePassed } from "../persistence/database.ts";
import type { Transaction } from "../persistence/sql.ts";
import { type OutboxRow, OutboxWriter } from "../outbox/outbox.ts";
import type { Relay } from "../outbox/relay.ts";
import { endOfTransaction, tooLate, type WithDeadline } from "./deadline.ts";
import { Turns } from "./turns.ts";

/** Statements and outgoing messages that commit together or not at all. */
export interface UnitOfWork extends Transaction {
  readonly outbox: OutboxWriter;
  /** Runs after the commit. A crash in between must be harmless, because then it never runs. */
  readonly afterCommit: (act: () => void) => void;
}

interface RequestOfBook extends WithDeadline {
  readonly caller: { readonly book: BookId };
}

/** Runs units of work, and publishes their messages right after the commit. */
export class UnitOfWorkRunner {
  readonly #database: Database;
  readonly #relay: Relay;
  readonly #partitions: number;
  readonly #turns: Turns<BookId>;
  readonly #hasClock: (book: BookId) => boolean;

  /**
   * `forRequests` is the number of connections that the requests of `runFor` may have at once. `hasClock` tells whether
   * a book has a clock of its own.
   */
  constructor(
    database: Database,
    relay: Relay,
    partitions: number,
    forRequests: number,
    hasClock: (book: BookId) => boolean = () => false,
  ) {
    this.#database = database;
    this.#hasClock = hasClock;
    this.#relay = relay;
    this.#partitions = partitions;
    this.#turns = new Turns({ total: forRequests });
  }

  /**
   * Like `run`, for a request that locks rows of its book. A request that waits for a lock keeps its connection:
   * without a limit, the requests of a few books could keep all of them, and every other book would wait.
   */
  runFor<T>(request: RequestOfBook, work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    return this.#turns.run(request.caller.book, () => this.run(work, request));
  }

  /**
   * Runs `work` in one transaction. A throw rolls back everything, messages included. With a deadline nothing commits
   * after it. Refusals: `upstream_timeout` after the deadline.
   */
  async run<T>(work: (unit: UnitOfWork) => Promise<T>, request: WithDeadline = {}): Promise<T> {
    const outbox = new OutboxWriter(this.#partitions, this.#hasClock);
    const acts: (() => void)[] = [];
    let rows: OutboxRow[] = [];
    const value = await this.#database
      .transaction(
        (tx) =>
          work({
            sql: tx.sql,
            withCommit: tx.withCommit,
            get em() {
              return tx.em;
            },
            outbox,
            afterCommit: (act) => acts.push(act),
          }),
        ({ sql }) =>
          outbox.write(sql).then((written) => {
            rows = written;
          }),
        endOfTransaction(request),
      )
      .catch((error: unknown) => {
        throw error instanceof DeadlinePassed ? tooLate() : error;
      });
    this.#relay.publishCommitted(rows);
    for (const act of acts) act();
    return value;
  }
}
