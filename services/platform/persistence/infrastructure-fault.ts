/**
 * SQLSTATE classes that say "the database is unwell or busy", never "this message is wrong": connection (08),
 * transaction rollback such as deadlock (40), resources (53), operator intervention (57), system error (58).
 * 25006 is a server that became read-only, 25P03 a session that sat idle in its transaction for too long, 25P04 a
 * transaction that went on for too long, 55P03 a lock that could not be had in time.
 */
const passingClasses = new Set(["08", "40", "53", "57", "58"]);
const passingCodes = new Set(["25006", "25P03", "25P04", "55P03"]);
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

/** True for a failure that passes by itself: the batch is given back whole, and nothing counts against a message. */
export function isInfrastructureFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  if (code !== undefined) {
    return (
      networkCodes.has(code) ||
      passingCodes.has(code) ||
      (code.length === 5 && passingClasses.has(code.slice(0, 2)))
    );
  }
  // pg reports a socket that closed under a statement without any code.
  return /connection terminated|connection ended|not queryable|timeout exceeded when trying to connect/i.test(
    error.message,
  );
}

/** What distinguishes one kind of failure from another: the SQLSTATE, else the error's class. */
export function failureCode(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  return error instanceof Error ? error.name : typeof error;
}
