/**
 * Thrown by a handler for a message that can never succeed: its sender made a mistake, or a stored record was tampered
 * with. The message is dead-lettered at once, for a person, and does not count as a sign of a bad deploy.
 */
export interface PermanentError {
  readonly permanent: true;
}

export function isPermanent(error: unknown): boolean {
  return error instanceof Error && "permanent" in error && error.permanent === true;
}
