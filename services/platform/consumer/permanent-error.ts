/**
 * Thrown by a handler for a message that can never succeed: its sender made a mistake, or a stored record was tampered
 * with. The message is dead-lettered at once, for a person, and does not count as a sign of a bad deploy.
 */
export interface PermanentError {
  readonly permanent: true;
}

/**
 * SQLSTATEs by which Postgres refuses one value: text that is too long (22001), a number out of range (22003), a date
 * that can't be read (22007) or is out of range (22008), a character that the database can't store (22021, 22P05). The
 * same message has the same value at its next delivery. Other errors of class 22 come from a statement, so they count
 * as failures.
 */
const valueErrors = new Set(["22001", "22003", "22007", "22008", "22021", "22P05"]);

export function isPermanent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("permanent" in error && error.permanent === true) return true;
  return "code" in error && typeof error.code === "string" && valueErrors.has(error.code);
}
