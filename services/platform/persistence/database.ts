import { Inject, Injectable } from "@nestjs/common";
import { CompiledQuery, type Kysely, type Transaction as KyselyTransaction } from "kysely";
import { MikroORM } from "@mikro-orm/postgresql";
import type { Sql, Transaction } from "./sql.ts";

type Executor = Kysely<unknown> | KyselyTransaction<unknown>;

function sqlOn(executor: () => Executor): Sql {
  return async <R extends object>(text: string, params: readonly unknown[] = []) => {
    const result = await executor().executeQuery(CompiledQuery.raw(text, params as unknown[]));
    return result.rows as R[];
  };
}

/** The service's own database: its schema, its role, nobody else's. */
@Injectable()
export class Database {
  readonly #orm: MikroORM;

  constructor(@Inject(MikroORM) orm: MikroORM) {
    this.#orm = orm;
  }

  /** Outside a transaction: each statement commits by itself. */
  readonly sql: Sql = sqlOn(() => this.#client());

  /**
   * Runs `work` in one READ COMMITTED transaction; a throw rolls all of it back. Nothing inside may be kept for
   * later: the connection goes back to the pool.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    // Not `em.transactional`: where the connection breaks it can't roll back, and then never gives the connection
    // back to the pool. Ten of those, and the service waits for ever.
    return this.#client()
      .transaction()
      .execute((transaction) => work({ sql: sqlOn(() => transaction) }));
  }

  #client(): Kysely<unknown> {
    return this.#orm.em.getConnection().getClient() as unknown as Kysely<unknown>;
  }

  /** True when the database answers a trivial statement: separates a bad message from a bad day. */
  async isHealthy(): Promise<boolean> {
    try {
      await this.sql("select 1");
      return true;
    } catch {
      return false; // any failure to answer is the answer
    }
  }
}
