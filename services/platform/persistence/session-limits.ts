import type { Sql } from "./sql.ts";

/** How long a service's session may block others, in milliseconds. */
export interface SessionLimits {
  readonly lock: number;
  readonly idleInTransaction: number;
  readonly statement: number;
  readonly transaction: number;
}

/**
 * Each limit is longer than the one before, so that the error names the narrowest cause.
 * - Lock: a batch takes less than a second, so after three seconds the lock's holder is stuck. The batch rolls back,
 *   which frees the rows of all its books, and each of its books is tried alone (`WaitingBooks`).
 * - Idle in transaction: an instance that is cut off keeps its locks for up to 15 s. Callers wait 5 s and retry, so
 *   they outlast it.
 * - Statement: the longest intended statement reads one page for the auditor.
 * - Transaction: many short statements could hold a lock forever; no intended transaction takes a tenth of
 *   this limit.
 */
export const sessionLimits: SessionLimits = {
  lock: 3_000,
  idleInTransaction: 15_000,
  statement: 30_000,
  transaction: 60_000,
};

/** Of a transaction with a deadline. It is longer than callers wait: the deadline ends the transaction first. */
export const lockWithDeadlineMs = 10_000;

/** How long after its limit an answer of Postgres may still come. After that, the driver breaks the connection. */
export const answerGraceMs = 10_000;

/** Lower than usual, because the other books wait while the rows of one book are tried alone. */
const limitsAlone = { lock: "500ms", statement: "5s" };

/** Sets these lower limits until the end of the transaction. */
export async function limitToOneBook(sql: Sql): Promise<void> {
  await sql("select set_config('lock_timeout', $1, true), set_config('statement_timeout', $2, true)", [
    limitsAlone.lock,
    limitsAlone.statement,
  ]);
}

/**
 * The driver's options for every session: these limits, TCP keep-alives by which each side detects that the other one
 * is lost, and plans by index. Postgres enforces the limits; `query_timeout` ends the wait for a server that never
 * answers.
 * Each statement of a service has an index. A planner without statistics, as in a young database, would take a third of
 * a table for due and scan all of it ten times a second. Another one would combine two indexes and read a whole book
 * for each journal of a page.
 */
export function sessionOptions(limits: SessionLimits = sessionLimits) {
  const settings = {
    transaction_timeout: limits.transaction,
    tcp_keepalives_idle: 10,
    tcp_keepalives_interval: 5,
    tcp_keepalives_count: 3,
    enable_seqscan: "off",
    enable_bitmapscan: "off",
  };
  return {
    lock_timeout: limits.lock,
    idle_in_transaction_session_timeout: limits.idleInTransaction,
    statement_timeout: limits.statement,
    query_timeout: limits.transaction + answerGraceMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${String(value)}`)
      .join(" "),
  };
}
