/** The states of a delivery, as its owner reads them. */
export type DeliveryStatus = "Pending" | "Retrying" | "Delivered" | "DeadLettered" | "Cancelled";

export interface RetrySchedule {
  /** HTTP requests until a delivery is dead-lettered. */
  readonly maxAttempts: number;
  /** The pause after the first failure, the second …; the last one repeats. */
  readonly backoffMs: readonly number[];
}

/**
 * Three requests: at once, one minute after the first failed, five minutes after the second failed. The 30-minute pause
 * applies only if a fourth attempt is configured.
 */
export const defaultSchedule: RetrySchedule = {
  maxAttempts: 3,
  backoffMs: [60_000, 300_000, 1_800_000],
};

/** How one HTTP request to a receiver ended. */
export interface AttemptOutcome {
  /** The status of the response, if one arrived within the time-out. */
  readonly responseStatus: number | null;
  /** Why no complete response arrived. Never contains a secret or a body. */
  readonly error: string | null;
}

/**
 * Only a 2xx acknowledges. A redirect is a failure: following it would send a signed body to an address that the
 * endpoint's owner never registered. A status that arrived in time counts even if the connection broke afterwards.
 */
export function isAcknowledged({ responseStatus }: AttemptOutcome): boolean {
  return responseStatus !== null && responseStatus >= 200 && responseStatus <= 299;
}

/** A delivery's next status. `retryAfterMs` counts from the end of the attempt. */
export type DeliveryUpdate =
  | { readonly status: "Delivered" | "DeadLettered"; readonly retryAfterMs: null }
  | { readonly status: "Pending" | "Retrying"; readonly retryAfterMs: number };

export interface DeliveryProgress {
  /** Attempts before this one. */
  readonly attemptCount: number;
  /** At first `maxAttempts`; a manual retry raises it. */
  readonly attemptsAllowed: number;
  /** A receiver that acknowledged once has the event, whatever it answers to a later retry. */
  readonly acknowledgedBefore: boolean;
}

/** The longest pause that a receiver can ask for with `Retry-After`. */
const maxAskedPauseMs = 24 * 3_600_000;
const ownFaultPauseMs = 10_000;
const maxJitter = 0.05;

/**
 * Decides what follows an attempt. A manual retry of an acknowledged delivery makes one attempt and no more. A receiver
 * that asks for a longer pause gets it, up to 24 hours; it can't shorten one.
 */
export function afterAttempt(
  acknowledged: boolean,
  progress: DeliveryProgress,
  schedule: RetrySchedule,
  askedPauseMs = 0,
): DeliveryUpdate {
  if (acknowledged || progress.acknowledgedBefore) return { status: "Delivered", retryAfterMs: null };
  const attempts = progress.attemptCount + 1;
  if (attempts >= progress.attemptsAllowed) return { status: "DeadLettered", retryAfterMs: null };
  const pauseMs = Math.max(pauseAfter(attempts, schedule), Math.min(askedPauseMs, maxAskedPauseMs));
  return { status: "Retrying", retryAfterMs: pauseMs };
}

/** What follows a failure on our side: the same attempt, ten seconds later. */
export function afterOwnFault({ attemptCount }: Pick<DeliveryProgress, "attemptCount">): DeliveryUpdate {
  return { status: attemptCount === 0 ? "Pending" : "Retrying", retryAfterMs: ownFaultPauseMs };
}

/**
 * What to add to a pause so that deliveries that failed together don't come back together: 0–5 % of it, in whole ms.
 * `random` gives numbers from 0 to below 1.
 */
export function jitterOf(pauseMs: number, random: () => number): number {
  return Math.floor(pauseMs * maxJitter * random());
}

function pauseAfter(failures: number, { backoffMs }: RetrySchedule): number {
  const pauseMs = backoffMs[Math.min(failures, backoffMs.length) - 1];
  if (pauseMs === undefined) throw new Error("a retry schedule needs at least one pause");
  return pauseMs;
}
