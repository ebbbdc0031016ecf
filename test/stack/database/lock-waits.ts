/** What waits for locks in a test's own database: `pg_locks` has those of the whole server, where other files run. */
import type { Sql } from "../../../services/platform/persistence/sql.ts";

/** How many sessions of this database wait for a lock of any kind. */
export async function lockWaits(sql: Sql): Promise<number> {
  const waiting = await sql(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return waiting.length;
}

/** How many sessions of this database wait for an advisory lock. */
export async function advisoryLockWaits(sql: Sql): Promise<number> {
  const waiting = await sql(
    `select from pg_locks
     where locktype = 'advisory' and not granted
       and database = (select oid from pg_database where datname = current_database())`,
  );
  return waiting.length;
}
