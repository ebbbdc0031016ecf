/**
 * What a handler throws when a message can never be handled, whatever is tried: its sender's mistake, or a record that was
 * touched. It is dead-lettered at once, for a person, and says nothing about the deploy.
 */
export interface PermanentError {
  readonly permanent: true;
}

export function isPermanent(error: unknown): boolean {
  return error instanceof Error && "permanent" in error && error.permanent === true;
}
