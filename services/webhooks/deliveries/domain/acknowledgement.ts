/** How one HTTP request to a receiver ended. */
export interface AttemptOutcome {
  /** The status line, when one came within the time-out. */
  readonly responseStatus: number | null;
  /** What stood in the way of an answer; never holds a secret or a body. */
  readonly error: string | null;
}

/**
 * Only a 2xx acknowledges. A redirect is a failure: following it would hand a signed body to an address that its owner
 * never registered. A status that arrived in time counts even when the rest of the answer broke off.
 */
export function isAcknowledged(outcome: AttemptOutcome): boolean {
  const { responseStatus } = outcome;
  return responseStatus !== null && responseStatus >= 200 && responseStatus <= 299;
}
