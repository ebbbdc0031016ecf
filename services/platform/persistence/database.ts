import { Inject, Injectable } from "@nestjs/common";
import { CompiledQuery, type Kysely } from "kysely";
import { type EntityManager, MikroORM, type PostgreSqlConnection } from "@mikro-orm/postgresql";
import { failureCode, isInfrastructureFault } from "./infrastructure-fault.ts";
import { sessionLimits } from "./session-limits.ts";
import type { Sql, Transaction } from "./sql.ts";

interface Result {
  readonly rows: unknown[];
  readonly rowCount: number | null;
  readonly command: string;
}

const transactionTimedOut = "25P04";

type Query = (text: string, params?: unknown[]) => Promise<Result>;

/** The part of a pooled connection that is used here. */
interface Connection {
  readonly query: Query;
  release(destroy?: boolean): void;
  readonly connection: { readonly stream: { cork(): void; uncork(): void } };
}

/** A transaction's deadline passed before its commit. It was rolled back. */
export class DeadlinePassed extends Error {}

/**
 * The statements of a transaction are prepared once per connection, and their plans are kept. Postgres would plan those
 * over partitioned tables for every batch, because a plan for known values looks cheaper than one that is kept.
 */
const begin = "begin; set local plan_cache_mode = force_generic_plan";

/** The service's own database: its schema, under its role. */
@Injectable()
export class Database {
  readonly #orm: MikroORM;

  constructor(@Inject(MikroORM) orm: MikroORM) {
    this.#orm = orm;
  }

  /** Outside a transaction: each statement commits by itself. */
  readonly sql: Sql = async <R extends object>(text: string, params: readonly unknown[] = []) => {
    const kysely = this.#connection().getClient() as unknown as Kysely<unknown>;
    const result = await kysely.executeQuery(CompiledQuery.raw(text, params as unknown[]));
    return result.rows as R[];
  };

  /**
   * Runs `work` in one READ COMMITTED transaction; a throw rolls all of it back. Don't store `sql` for later use: the
   * connection returns to the pool, and a statement after the commit throws.
   *
   * Statements are sent at once, without waiting for the answers to earlier ones, and run in that order (docs/sql.md).
   * If one fails, the later ones and the commit fail too. `last` is sent together with the commit, which saves a round
   * trip: 2 to 5 ms on a busy machine.
   *
   * The first use of `tx.em` makes an EntityManager on this transaction's connection. Entities that are changed when
   * `work` ends are flushed before `last`. Transactions that use no entities pay nothing for it.
   *
   * After `deadline` (Unix time in milliseconds) nothing commits, whatever the transaction waits for: Postgres ends its
   * session, and this throws `DeadlinePassed`.
   */
  async transaction<T>(
    work: (tx: Transaction) => Promise<T>,
    last: (tx: Transaction) => Promise<unknown> = () => Promise.resolve(),
    deadline?: number,
  ): Promise<T> {
    const pool = await this.#connection().getNativeClient();
    const connection: Connection = await pool.connect();
    const send = sendTogether(connection);
    const fault: { first?: unknown } = {};
    let over = false;
    const query: Query = async (text, params) => {
      // The statement would run outside the transaction, or in the connection's next one.
      if (over) throw new Error("a statement was sent after the end of its transaction");
      try {
        return await send(text, params);
      } catch (error) {
        // Later statements only learn that the transaction is aborted: the first error explains why.
        fault.first ??= error;
        throw fault.first;
      }
    };
    let entities: EntityManager | undefined;
    const openEntities = () => (entities ??= this.#entitiesOver(query));
    const tx: Transaction = {
      sql: sqlOver(query),
      get em() {
        return openEntities();
      },
    };
    try {
      // Awaited, because after a failed `begin` each statement would commit by itself.
      await send(beginBy(deadline));
      const value = await work(tx);
      await entities?.flush();
      const parting = last(tx);
      const ending = send("commit");
      over = true;
      const [, ended] = await Promise.all([parting, ending]);
      if (ended.command !== "COMMIT")
        throw new Error("a statement that nobody awaited failed, and the transaction was rolled back", {
          cause: fault.first,
        });
      connection.release();
      return value;
    } catch (error) {
      const hasEnded = isEnded({ isCommitting: over, fault: fault.first, deadline });
      over = true;
      await rollBack(connection);
      throw hasEnded ? new DeadlinePassed("the transaction's deadline passed", { cause: error }) : error;
    }
  }

  /**
   * Runs `work` in one read-only transaction on one snapshot. It begins with the statements of `opening` (`set local
   * …`; their values must be safe in SQL), which are sent together with the first statement of `work`. The end is not
   * awaited either, so that a read of one statement costs one round trip.
   */
  read<T>(opening: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#readOver(opening, (query) => work(sqlOver(query)));
  }

  /** Reads entities on one snapshot, so that populated relations have the same version as their owner. */
  readEntities<T>(work: (em: EntityManager) => Promise<T>): Promise<T> {
    return this.#readOver("", (query) => work(this.#entitiesOver(query)));
  }

  async #readOver<T>(opening: string, work: (query: Query) => Promise<T>): Promise<T> {
    const pool = await this.#connection().getNativeClient();
    const connection: Connection = await pool.connect();
    const send = sendTogether(connection);
    const opened = send(`begin isolation level repeatable read, read only; ${opening}`);
    let over = false;
    try {
      const [value] = await Promise.all([
        work(async (text, params) => {
          if (over) throw new Error("a statement was sent after the end of its transaction");
          // If the opening fails, the statement ran without it, and its rows must not be returned.
          const [, result] = await Promise.all([opened, send(text, params)]);
          return result;
        }),
        opened,
      ]);
      return value;
    } finally {
      over = true;
      void rollBack(connection); // nothing was written, so a rollback is as good as a commit
    }
  }

  /** An EntityManager whose statements run through `query`. Of a transaction, the ORM uses only `executeQuery`. */
  #entitiesOver(query: Query): EntityManager {
    const em = this.#orm.em.fork() as EntityManager;
    em.setTransactionContext({
      executeQuery: async ({ sql }: CompiledQuery) => {
        const { rows, rowCount } = await query(sql);
        return { rows, numAffectedRows: rowCount ?? 0 };
      },
    });
    return em;
  }

  #connection(): PostgreSqlConnection {
    return this.#orm.em.getConnection() as PostgreSqlConnection;
  }

  /** True when the database answers a trivial statement. Distinguishes a bad message from an unavailable database. */
  async isHealthy(): Promise<boolean> {
    try {
      await this.sql("select 1");
      return true;
    } catch {
      return false; // any failure means unhealthy
    }
  }
}

/**
 * `begin` with the time that is left, in one message. Postgres starts its timer anew only if it was off: the session's
 * own limit has started it.
 */
function beginBy(deadline: number | undefined): string {
  if (deadline === undefined) return begin;
  // One more, so that the deadline has passed by this clock too when Postgres ends the session.
  const leftMs = Math.ceil(deadline) + 1 - Date.now();
  if (leftMs <= 0) throw new DeadlinePassed("the transaction's deadline passed before it began");
  const limitMs = String(Math.min(leftMs, sessionLimits.transaction));
  return `${begin}; set local transaction_timeout = 0; set local transaction_timeout = ${limitMs}`;
}

/**
 * Whether the deadline ended a transaction that failed. Once the commit was sent, only Postgres' own word says that it
 * did not happen; a connection that broke for another reason may have broken after it.
 */
function isEnded({
  isCommitting,
  fault,
  deadline,
}: {
  readonly isCommitting: boolean;
  readonly fault: unknown;
  readonly deadline: number | undefined;
}): boolean {
  if (deadline === undefined || Date.now() <= deadline) return false;
  return isCommitting ? failureCode(fault) === transactionTimedOut : isInfrastructureFault(fault);
}

/** What one turn of the event loop sends leaves in one write to the socket: a write costs more than a statement. */
function sendTogether(connection: Connection): Query {
  const { stream } = connection.connection;
  let isCorked = false;
  return (text, params) => {
    if (!isCorked) {
      isCorked = true;
      stream.cork();
      process.nextTick(() => {
        isCorked = false;
        stream.uncork();
      });
    }
    return connection.query(text, params);
  };
}

function sqlOver(query: Query): Sql {
  return async <R extends object>(text: string, params: readonly unknown[] = []) =>
    (await query(text, params as unknown[])).rows as R[];
}

/** Runs after all statements that were sent. A connection that can't roll back is broken: the pool discards it. */
async function rollBack(connection: Connection): Promise<void> {
  try {
    await connection.query("rollback");
    connection.release();
  } catch {
    connection.release(true); // the caller throws the original error
  }
}
