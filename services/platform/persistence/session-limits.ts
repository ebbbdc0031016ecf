/** How long a session of a service may keep others waiting, milliseconds. */
export interface SessionLimits {
  readonly lock: number;
  readonly idleInTransaction: number;
  readonly statement: number;
  readonly transaction: number;
}

/**
 * Each is longer than the one before, so that what is stuck is named by its narrowest cause. Waiting for a lock: a batch
 * takes less than a second, so after ten the one in front is stuck, and giving the batch back costs nothing. Idle inside a
 * transaction: an instance that is cut off or halted must let go of its locks before callers, who wait 5 s and come
 * again, give up for good. A statement: the longest that is meant to run is a page of the auditor's. A transaction:
 * many short statements could hold a book's head for ever; none that is meant to run takes a tenth of it.
 */
export const sessionLimits: SessionLimits = {
  lock: 10_000,
  idleInTransaction: 15_000,
  statement: 30_000,
  transaction: 60_000,
};

/** The driver's options that set them at the start of every session, with what notices a peer that is gone. */
export function sessionOptions(limits: SessionLimits = sessionLimits) {
  return {
    lock_timeout: limits.lock,
    idle_in_transaction_session_timeout: limits.idleInTransaction,
    statement_timeout: limits.statement,
    options: `-c transaction_timeout=${String(limits.transaction)} -c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3`,
  };
}
