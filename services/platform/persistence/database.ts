import { Inject, Injectable } from "@nestjs/common";
import { CompiledQuery, type Kysely } from "kysely";
import { type EntityManager, MikroORM, type PostgreSqlConnection } from "@mikro-orm/postgresql";
import { failureCode, isInfrastructureFault } from "./infrastructure-fault.ts";
import { answerGraceMs, lockWithDeadlineMs, sessionLimits } from "./session-limits.ts";
import { useGenericPlans, type Sql, type Transaction } from "./sql.ts";
import type { PooledConnection } from "./statements/statement-batch.ts";
import { type OpeningStatement, TransactionStatements } from "./statements/transaction-statements.ts";

type Query = TransactionStatements["send"];

const transactionTimedOut = "25P04";
const limitTransaction = `select set_config('lock_timeout', '${String(lockWithDeadlineMs)}', true),
  set_config('transaction_timeout', '0', true),
  set_config('transaction_timeout', $1, true)`;

/** A transaction's deadline passed before its commit. It was rolled back. */
export class DeadlinePassed extends Error {}

/**
 * The statements of a transaction are prepared once per connection, and their plans are kept. Postgres would plan those
 * over partitioned tables for every batch, because a plan for known values looks cheaper than one that is kept.
 */
const begin: readonly OpeningStatement[] = [["begin"], [useGenericPlans]];

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
   * As `sql`, but each connection keeps one generic plan. For a statement that runs often and needs the same plan for
   * all values: Postgres would plan it each time if it reads partitions or has an array. As `last` of a transaction, it
   * shares its round trip with the commit.
   */
  readonly sqlWithKeptPlan: Sql = async <R extends object>(text: string, params: readonly unknown[] = []) => {
    let rows: R[] = [];
    await this.transaction(
      () => Promise.resolve(),
      async ({ sql }) => {
        rows = await sql<R>(text, params);
      },
    );
    return rows;
  };

  /**
   * Runs `work` in one READ COMMITTED transaction; a throw rolls all of it back. Don't store `sql` for later use: the
   * connection returns to the pool, and a statement after the commit throws.
   *
   * Statements that are sent together make one round trip, and run in the order in which they were sent (docs/sql.md).
   * The transaction begins with the first of them. If one fails, neither the later ones nor the commit run. `last` and
   * what `withCommit` takes are sent together with the commit: a transaction that reads and then writes makes two round
   * trips.
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
    const connection = await this.#connect();
    const statements = new TransactionStatements(
      connection,
      () => beginBy(deadline),
      () => answerWithinMs(deadline),
    );
    const query: Query = (text, params) => statements.send(text, params);
    const unawaited: Promise<unknown>[] = [];
    let entities: EntityManager | undefined;
    const openEntities = () => (entities ??= this.#entitiesOver(query));
    const tx: Transaction = {
      sql: sqlOver(query),
      withCommit: (sent) => {
        sent.catch(() => undefined); // it is awaited below
        unawaited.push(sent);
      },
      get em() {
        return openEntities();
      },
    };
    try {
      const value = await work(tx);
      await entities?.flush();
      if (deadline !== undefined) leftMs(deadline); // Postgres' timer may be a little late
      const parting = last(tx);
      await allInOrder([...unawaited, parting, statements.commit()]);
      connection.release();
      return value;
    } catch (error) {
      const hasEnded = isEnded(statements, deadline);
      await statements.rollBack();
      throw hasEnded ? new DeadlinePassed("the transaction's deadline passed", { cause: error }) : error;
    }
  }

  /**
   * Runs `work` in one read-only transaction on one snapshot. It begins with the statements of `opening` (`set local
   * …`; their values must be safe in SQL), which are sent together with the first statement of `work`: if one fails,
   * that statement does not run. The end is not awaited, so that a read of one statement costs one round trip.
   */
  read<T>(opening: readonly string[], work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#readOver(opening, (query) => work(sqlOver(query)));
  }

  /** Reads entities on one snapshot, so that populated relations have the same version as their owner. */
  readEntities<T>(work: (em: EntityManager) => Promise<T>): Promise<T> {
    return this.#readOver([], (query) => work(this.#entitiesOver(query)));
  }

  async #readOver<T>(opening: readonly string[], work: (query: Query) => Promise<T>): Promise<T> {
    const statements = new TransactionStatements(await this.#connect(), () => [
      ["begin isolation level repeatable read, read only"],
      ...opening.map((text): OpeningStatement => [text]),
    ]);
    try {
      return await work((text, params) => statements.send(text, params));
    } finally {
      void statements.rollBack(); // nothing was written, so a rollback is as good as a commit
    }
  }

  async #connect(): Promise<PooledConnection> {
    const pool = await this.#connection().getNativeClient();
    return pool.connect() as Promise<PooledConnection>;
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

/** `begin`, with a timer for the remaining time. Postgres restarts a running timer only if it is set to 0 first. */
function beginBy(deadline: number | undefined): readonly OpeningStatement[] {
  if (deadline === undefined) return begin;
  const limitMs = String(Math.min(leftMs(deadline), sessionLimits.transaction));
  return [...begin, [limitTransaction, [limitMs]]];
}

/**
 * How long the driver waits for an answer, in milliseconds; 0 without a deadline: as long as its session says. Postgres
 * ends a transaction at its deadline, so an answer that is much later is lost.
 */
export function answerWithinMs(deadline: number | undefined): number {
  return deadline === undefined ? 0 : Math.max(0, deadline - Date.now()) + answerGraceMs;
}

/** The time until a deadline. Throws `DeadlinePassed` if none is left. */
function leftMs(deadline: number): number {
  // One more, so that the deadline has passed by this clock too when Postgres ends the session.
  const left = Math.ceil(deadline) + 1 - Date.now();
  if (left <= 0) throw new DeadlinePassed("the transaction's deadline passed");
  return left;
}

/**
 * Whether the deadline ended a failed transaction. Once the commit was sent, only the error 25P04 proves that nothing
 * was committed: a connection that broke for another reason may have broken after the commit.
 */
function isEnded(
  { failure, mayHaveCommitted }: TransactionStatements,
  deadline: number | undefined,
): boolean {
  if (deadline === undefined || Date.now() <= deadline) return false;
  return mayHaveCommitted ? failureCode(failure) === transactionTimedOut : isInfrastructureFault(failure);
}

function sqlOver(query: Query): Sql {
  return async <R extends object>(text: string, params: readonly unknown[] = []) =>
    (await query(text, params)).rows as R[];
}

/** Throws the error of the first promise that fails, in the order of the array. */
async function allInOrder(promises: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(promises);
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}
