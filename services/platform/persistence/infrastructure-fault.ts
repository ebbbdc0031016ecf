/**
 * SQLSTATE classes that mean "the database is unavailable, busy or refuses the log-in", never "this message is wrong":
 * connection (08), log-in (28), transaction rollback such as deadlock (40), resources (53), operator intervention (57),
 * system error (58). 25006: the server became read-only. 25P03: the session was idle in its transaction for too long.
 * 25P04: the transaction took too long. 55P03: a lock was not granted in time.
 */
const transientClasses = new Set(["08", "28", "40", "53", "57", "58"]);
const transientCodes = new Set(["25006", "25P03", "25P04", "55P03"]);
const networkCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
  "ENOTFOUND",
]);

/** True for a transient failure: no message counts as failed. `isFaultOfRows` names those of a single book. */
export function isInfrastructureFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  if (code !== undefined) {
    return (
      networkCodes.has(code) ||
      transientCodes.has(code) ||
      (code.length === 5 && transientClasses.has(code.slice(0, 2)))
    );
  }
  // pg gives no code when the socket closes during a statement, or when no answer comes.
  return /connection terminated|connection ended|not queryable|timeout exceeded when trying to connect|query read timeout/i.test(
    error.message,
  );
}

/** A deadlock, a lock that another session holds, a statement that took too long: rows of one book can cause them. */
const faultsOfRows = new Set(["40P01", "55P03", "57014"]);

/** True for an infrastructure fault that rows of one book can cause while the database is sound. */
export function isFaultOfRows(error: unknown): boolean {
  return faultsOfRows.has(failureCode(error));
}

/** False only if the database is unavailable, so that the rows of other books would fail too. */
export function mayConcernOneBook(error: unknown): boolean {
  return !isInfrastructureFault(error) || isFaultOfRows(error);
}

/** Identifies a kind of failure: the SQLSTATE, else the error's class. */
export function failureCode(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  return error instanceof Error ? error.name : typeof error;
}
